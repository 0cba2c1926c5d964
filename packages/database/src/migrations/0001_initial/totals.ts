/** The kept totals by day, store, status and bank, and the number of payments by store and status. */

const key = 'day date not null, store_id uuid, status text, bank text';
const figures = [
  'created',
  'created_amount',
  'approved',
  'approved_amount',
  'fee_amount',
  'received',
  'refunded_amount',
  'given_back',
];
const columns = figures.map((name) => `${name} bigint not null default 0`).join(', ');

const none = '0::bigint';

/** Appends the figures that rows have now, times the trigger's argument. */
const append = (rows: string) => `
  insert into total_changes (day, store_id, status, bank, ${figures.join(', ')})
  select day_of(moment), store_id, status, bank, ${figures.map((name) => `tg_argv[0]::int * ${name}`).join(', ')}
  from figures where ${rows}`;

const trigger = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body}; return new; end $$`;

// Each connection counts in its own shard. With one row per count, transactions on one store's payments would wait for
// each other's commits. Sorted rows prevent deadlocks.
const count = (changes: string) => `
  insert into payment_counts as known (store_id, status, shard, payments)
  select store_id, status, pg_backend_pid() % 32, change from (${changes}) changes order by store_id, status
  on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments`;

export const totals = [
  // The days of the books are São Paulo's.
  `create function day_of(moment timestamptz) returns date language sql immutable parallel safe
    return (moment at time zone 'America/Sao_Paulo')::date`,

  // A payment counts when it is created and when it is approved, a return when it is made. All figures are bigint, as in
  // the kept totals: a filter of both reaches the indexes.
  `create view figures as
    select id as payment_id, null as end_to_end_id, null as refund_id, created_at as moment, store_id, status, bank,
      1::bigint as created, amount as created_amount, ${none} as approved, ${none} as approved_amount,
      ${none} as fee_amount, ${none} as received, ${none} as refunded_amount, ${none} as given_back
    from payments
    union all
    select id, null, null, approved_at, store_id, status, bank, ${none}, ${none}, (kept > 0)::int::bigint, kept,
      case when kept > 0 then coalesce(fee_amount, 0) else 0 end, received, ${none}, ${none}
    from payments, lateral (
      select case when status in ('approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected')
        then amount else 0 end as kept) kept
    where approved_at is not null
    union all
    select payment_id, end_to_end_id, refunds.id, made_at, store_id, status, refunds.bank, ${none}, ${none}, ${none},
      ${none}, ${none}, ${none}, refunds.amount, coalesce(given_back, 0)
    from refunds left join payments on payments.id = payment_id
    where made_at is not null`,

  // Each change of a payment's money appends differences here, so that no two changes wait for each other. A scan
  // folds them into daily_totals; a total is the sum of both.
  `create table total_changes (${key}, ${columns})`,
  `create table daily_totals (${key}, ${columns},
    unique nulls not distinct (day, store_id, status, bank)
  ) with (fillfactor = 50)`,
  'create index daily_totals_by_store on daily_totals (store_id, day)',

  // No statement can forget the totals: a trigger subtracts a row's figures before a change, another adds those after it.
  // A payment's returns count in its status, so they move with it.
  trigger(
    'append_payment',
    append('payment_id = new.id and (refund_id is null or old.status <> new.status)'),
  ),
  ...triggers('payments', 'status, amount, fee_amount, bank, approved_at, received', 'append_payment'),
  trigger('append_refund', append('(end_to_end_id, refund_id) = (new.end_to_end_id, new.id)')),
  ...triggers('refunds', 'payment_id, amount, made_at, given_back', 'append_refund'),
  `create trigger refunds_inserted after insert on refunds
    for each row when (new.made_at is not null) execute function append_refund(1)`,

  // A list's total is the sum of its counts. Half-empty pages keep a row's many updates in its page.
  `create table payment_counts (
    store_id uuid not null,
    status text not null,
    shard integer not null,
    payments bigint not null,
    primary key (store_id, status, shard)
  ) with (fillfactor = 50)`,
  trigger(
    'count_moved',
    count('select new.store_id, * from (values (old.status, -1), (new.status, 1)) step (status, change)'),
  ),
  `create trigger payments_moved after update of status on payments
    for each row when (old.status <> new.status) execute function count_moved()`,

  // A new payment only counts as created. Many are inserted at once, so they are counted together.
  trigger(
    'count_created',
    `${count('select store_id, status, count(*) as change from created group by 1, 2')};
    insert into total_changes (day, store_id, status, bank, created, created_amount)
    select day_of(created_at), store_id, status, bank, count(*), sum(amount) from created group by 1, 2, 3, 4`,
  ),
  `create trigger payments_created after insert on payments referencing new table as created
    for each statement execute function count_created()`,
];

function triggers(table: string, columns: string, run: string): string[] {
  const change = `update of ${columns} on ${table} for each row`;
  return [
    `create trigger ${table}_before before ${change} execute function ${run}('-1')`,
    `create trigger ${table}_after after ${change} execute function ${run}(1)`,
  ];
}
