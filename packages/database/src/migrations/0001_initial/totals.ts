/** The kept totals by day, store and status. */

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
].map((name) => `${name} bigint not null default 0`);

export const totals = [
  // The days of the books are São Paulo's.
  `create function day_of(moment timestamptz) returns date language sql immutable parallel safe
    return (moment at time zone 'America/Sao_Paulo')::date`,

  // Each change of a payment's money appends differences here in its own statement, so that no two changes wait for
  // each other. A scan folds them into daily_totals; a total is the sum of both.
  `create table total_changes (${key}, ${figures.join(', ')})`,
  `create table daily_totals (${key}, ${figures.join(', ')},
    unique nulls not distinct (day, store_id, status, bank)
  ) with (fillfactor = 50)`,
  'create index daily_totals_by_store on daily_totals (store_id, day)',
];
