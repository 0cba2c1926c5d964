-- The schema of 0.1.0. Amounts are centavos. Ids of payments are UUIDv7: an index on them is one on creation time.

-- The search by part needs it. The database's owner may create it, and PostgreSQL says so if the server has it not.
create extension if not exists pg_trgm;

-- Stores, their tokens, and the idempotency keys of their creations.

create table stores (
  id uuid primary key,
  name text not null,
  active boolean not null default true,
  fee_ppm integer check (fee_ppm between 0 and 1000000),
  fee_fixed integer check (fee_fixed >= 0),
  max_amount integer not null,
  review_above integer,
  banks text[],
  test boolean not null default false,
  events text[] not null default '{}',
  token_may text[] not null default '{}',
  refund_limit_per_day bigint check (refund_limit_per_day >= 0),
  webhook_secret text not null,
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz,
  created_at timestamptz not null,
  -- For payments, which repeat it.
  unique (id, test)
);

create index stores_of_tests on stores (id) where test;

-- No index holds last_used_at, so recording a use rewrites only the row.
create table tokens (
  id uuid primary key,
  store_id uuid not null references stores,
  hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz,
  deactivated_at timestamptz,
  superseded_at timestamptz,
  last_used_at timestamptz
);
-- Refuses a second current token in any race.
create unique index tokens_current on tokens (store_id) where superseded_at is null;
create index tokens_by_store on tokens (store_id, id);

create table idempotency_keys (
  store_id uuid not null references stores,
  key text not null,
  request_hash bytea not null,
  payment_id uuid not null,
  created_at timestamptz not null,
  primary key (store_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Payments, and their search by part.

-- Folds the case of any language and the two ways to write an accent, whatever the database's locale.
create function folded(value text) returns text language sql immutable parallel safe
  return lower(normalize(value, nfc) collate "und-x-icu");

create table payments (
  id uuid primary key,
  store_id uuid not null,
  test boolean not null default false,
  status text not null check (status in ('pending', 'approved', 'review', 'not_approved', 'paid',
    'withdrawal_processing', 'receipt_sent', 'rejected')),
  charged bigint not null check (charged > 0),
  amount bigint not null check (amount >= 0),
  fee_amount bigint,
  liquid_value bigint,
  fee_ppm integer,
  fee_fixed integer,
  observation text,
  email text,
  description text,
  search_text text generated always as (
    folded(nullif(coalesce(email || chr(10), '') || coalesce(observation || chr(10), '') || coalesce(description, ''), ''))
  ) stored,
  webhook_url text,
  is_public boolean not null,
  bank text,
  copy_and_paste text,
  reference text,
  expires_in integer,
  charge_state text not null check (charge_state in ('unregistered', 'registered', 'cancelling', 'closed')),
  charge_try_at timestamptz,
  charge_tries integer not null default 0,
  registered_at timestamptz,
  expires_at timestamptz not null,
  expiry_check_at timestamptz not null,
  review_since timestamptz,
  review_timed_out_at timestamptz,
  approved_at timestamptz,
  received bigint,
  events integer not null,
  moves integer not null default 1,
  keeps_responses boolean not null default true,
  request_id text,
  created_at timestamptz not null,
  -- A test store is one for ever, and its charges are at the bank `test` alone: nothing else is ever committed.
  foreign key (store_id, test) references stores (id, test),
  constraint payments_at_their_kind_of_bank check ((bank = 'test') = test),
  -- No claim finds a charge that the bank has and keeps, nor one that is closed.
  constraint payments_with_work_at_the_bank check (charge_try_at is null or charge_state in ('unregistered', 'cancelling'))
) with (fillfactor = 85);
create index payments_by_store on payments (store_id, id);
create index payments_by_store_and_status on payments (store_id, status, id);
-- The administration searches references of all stores, so they come first.
create unique index payments_by_reference on payments (reference, store_id) where reference is not null;
create index payments_to_expire on payments (bank, expiry_check_at) where status = 'pending';
create index payments_charge_due on payments (bank, test, charge_try_at) where charge_try_at is not null;
-- An erasure finds the references and addresses that name a person.
create index payments_by_email_in_reference on payments using gin (folded(reference) gin_trgm_ops)
  where reference ~ '@|%(25)*40';
create index payments_by_email_in_webhook_url on payments using gin (folded(webhook_url) gin_trgm_ops)
  where webhook_url ~ '@|%(25)*40';
create index payments_by_registration on payments using brin (registered_at);
create index payments_by_status on payments (status, id);
create index payments_of_tests on payments (id) where test;
-- A creation that sorts pending entries into the index waits for it: few at a time.
create index payments_by_text on payments using gin (search_text gin_trgm_ops)
  with (gin_pending_list_limit = 512) where search_text is not null;
create index payments_by_approval on payments (approved_at) where approved_at is not null;
-- The id orders reviews of the same moment.
create index payments_in_review_order on payments (review_since, id) where review_since is not null;
create index payments_review_due on payments (review_since, id)
  where review_since is not null and review_timed_out_at is null;

-- Events of payments, and the outbox of those to publish.

-- The feed's order (Contract: feed). A place is the number of the transaction that wrote the event, so transactions that
-- commit out of order are told apart: as long as one of them runs, feed_horizon() is not above its number, and no reader
-- goes beyond the horizon. A number that a failover or a restore gives again would hide events from readers who were
-- ahead, so the upper bits count the timelines of the write-ahead log. Another server's are counted on from feed_origin.
create table feed_origin (
  system_identifier bigint not null,
  timelines_before bigint not null
);
insert into feed_origin select system_identifier, 0 from pg_control_system();
create function feed_era() returns bigint language sql stable
  return (select timelines_before + ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
    from feed_origin) << 46;
create function feed_place() returns bigint language sql volatile
  return feed_era() | pg_current_xact_id()::text::bigint;
create function feed_horizon() returns bigint language sql stable
  return feed_era() | pg_snapshot_xmin(pg_current_snapshot())::text::bigint;

-- An event is written once, in the commit of its change.
-- payload, previous and refund are json, not jsonb: the committed bytes are the bytes that are sent.
-- A payment's next event never has a lower place than the one before, though its transaction may have begun earlier.
create table events (
  id uuid primary key,
  payment_id uuid not null references payments,
  store_id uuid not null,
  sequence integer not null,
  type text not null,
  status text not null,
  previous_status text,
  payload json not null,
  previous json,
  refund json,
  actor text not null,
  reason text,
  request_id text,
  trace_parent text,
  occurred_at timestamptz not null,
  place bigint not null default feed_place(),
  unique (payment_id, sequence)
);
create index events_in_feed on events (store_id, place, sequence, id);
-- Few events are of these types: a reader of one of them must not pass over all others.
create index events_in_feed_by_type on events (store_id, type, place, sequence, id)
  where type in ('payment.updated', 'refund.updated');

-- The place at which a store's feed reaches a moment. Times grow along the feed but for some seconds, so the place is
-- found by halving, with a look at the index for each half. Ten minutes are left for those seconds, and for the clock of a
-- server that took over and is behind the one before it.
create function feed_place_at(store uuid, moment timestamptz) returns bigint language plpgsql stable as $$
  declare
    low bigint := 0;
    high bigint := feed_horizon();
    middle bigint;
    seen timestamptz;
  begin
    while high - low > 1 loop
      middle := low + (high - low) / 2;
      select occurred_at into seen from events
      where store_id = store and (place, sequence, id) >= (middle, 0, '00000000-0000-0000-0000-000000000000')
      order by place, sequence, id limit 1;
      if seen < moment - interval '10 minutes' then low := middle; else high := middle; end if;
    end loop;
    return low;
  end $$;

-- A separate table: publishing deletes a small row and leaves the event unchanged. No foreign key: each insert and each
-- delete would lock or check the event.
create table outbox (event_id uuid primary key, created_at timestamptz not null default now());
create index outbox_by_time on outbox (created_at);

-- Deliveries, their attempts, and the endpoints that fail.

-- An endpoint is a store's URL without its query, so an id in the query makes no new endpoint.
create function endpoint_of(store_id uuid, url text) returns uuid language sql immutable parallel safe
  return md5(store_id::text || ' ' || regexp_replace(url, '[?#].*$', ''))::uuid;

-- A running dispatcher renews its lease. When the lease ends, others claim its deliveries.
create table dispatchers (
  id uuid primary key,
  leased_until timestamptz not null
);

-- ARCHITECTURE.md has a table of a delivery's states. A payment has one webhookUrl, so a delivery shares the id of its
-- event, and the index of events finds it by payment. payment_id and store_id are the event's, copied: its foreign key
-- is enough. An erasure sets keeps_responses to false on a payment and on its deliveries, and later deliveries copy it from
-- the payment: an attempt that is recorded after the erasure then keeps nothing of what the receiver answered.
-- The fillfactor leaves room in the page for the row versions of a claim and a record.
create table deliveries (
  id uuid primary key references events,
  payment_id uuid not null,
  store_id uuid not null,
  sequence integer not null,
  url text not null,
  endpoint uuid not null,
  state text not null check (state in ('pending', 'delivered', 'dead')),
  attempts integer not null default 0,
  attempts_before_redrive integer not null default 0,
  attempted boolean not null default false,
  next_attempt_at timestamptz,
  claimed_by uuid,
  claimed_at timestamptz,
  attempt_log jsonb not null default '[]',
  keeps_responses boolean not null default true,
  request_id text,
  created_at timestamptz not null,
  constraint deliveries_due_only_pending check (state = 'pending' or next_attempt_at is null)
) with (fillfactor = 45);

-- Makes the event after each attempted one due, if it waits: the next of the payment that has a delivery. Each statement of
-- a volatile function sees what is committed by then.
create function release_following(payments uuid[], after_sequences integer[]) returns integer language plpgsql volatile as $$
  declare
    following uuid;
    released integer := 0;
  begin
    for following in
      select next.id from unnest(payments, after_sequences) as attempt (payment_id, sequence)
      cross join lateral (
        select e.id from events e
        where e.payment_id = attempt.payment_id and e.sequence > attempt.sequence
          and (select true from deliveries d where d.id = e.id)
        order by e.sequence limit 1) next
    loop
      update deliveries set next_attempt_at = now()
      where id = following and not attempted and next_attempt_at is null;
      if found then released := released + 1; end if;
    end loop;
    return released;
  end $$;

create index deliveries_by_store on deliveries (store_id, created_at, id);
create index deliveries_by_time on deliveries (created_at, id);
-- Excludes delivered rows, nearly all of the table: a successful delivery writes no entry here.
create index deliveries_not_delivered on deliveries (state, created_at, id) where state <> 'delivered';
create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null;
-- A different predicate from the index above: the planner would prefer this one while statistics show nothing due.
create index deliveries_due_by_store on deliveries (store_id, endpoint, next_attempt_at)
  where (next_attempt_at is null) is false;

-- Only failing endpoints have a row. While a circuit is open, its endpoint gets no deliveries until open_until, and
-- then one probe. told_since is the failing_since that the last notice told.
create table failing_endpoints (
  id uuid primary key,
  store_id uuid not null,
  url text not null,
  failures integer not null,
  openings integer not null,
  failing_since timestamptz not null,
  open_until timestamptz,
  last_error jsonb,
  told_since timestamptz
);
-- A receiver with a URL per order has hundreds of thousands of rows. This index has those alone that need a notice.
create index failing_endpoints_untold on failing_endpoints (failing_since, id)
  where open_until is not null and told_since is distinct from failing_since;

-- Pix received, refunds, failing work on charges, and how far the bank's lists were read.

create table pix_received (
  end_to_end_id text primary key,
  bank text not null,
  payment_id uuid references payments,
  txid text,
  amount bigint not null check (amount > 0),
  effect text not null,
  unmatched text,
  paid_at timestamptz not null,
  received_at timestamptz not null,
  constraint pix_received_placed check ((payment_id is null) = (unmatched is not null))
);
create index pix_received_by_time on pix_received (bank, paid_at);
create index pix_received_by_payment on pix_received (payment_id);
create index pix_unmatched on pix_received (received_at, end_to_end_id) where unmatched <> 'returned';
create index pix_unmatched_by_charge on pix_received (txid) where unmatched is not null;

create table refunds (
  id text not null,
  end_to_end_id text not null references pix_received,
  bank text not null,
  payment_id uuid references payments,
  amount bigint not null check (amount > 0),
  wanted bigint not null,
  exact boolean not null default false,
  origin text not null check (origin in ('service', 'bank')),
  reason text not null,
  note text,
  state text not null check (state in ('requested', 'processing', 'refunded', 'failed')),
  rtr_id text,
  tries integer not null default 0,
  try_at timestamptz,
  last_error jsonb,
  looks integer not null default 0,
  concluded boolean not null default false,
  replaces text,
  ordinal integer,
  reorders integer not null default 0,
  order_again_at timestamptz,
  order_again_amount bigint,
  owed bigint,
  made_at timestamptz,
  given_back bigint,
  idempotency_key text,
  request_hash bytea,
  token_id uuid references tokens,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (end_to_end_id, id),
  constraint refunds_made_at check ((state = 'refunded') = (made_at is not null)),
  constraint refunds_order_again check ((order_again_at is null) = (order_again_amount is null))
);
create index refunds_by_time on refunds (made_at) where made_at is not null;
create index refunds_in_order on refunds (created_at, end_to_end_id, id);
create index refunds_due on refunds (bank, try_at) where try_at is not null;
create index refunds_not_made on refunds (state) where state <> 'refunded';
create index refunds_by_payment on refunds (payment_id);
-- These refuse two orders with one ordinal, and two replacements of one failed order, in any race.
create unique index refunds_that_replace on refunds (end_to_end_id, replaces) where replaces is not null;
create unique index refunds_by_ordinal on refunds (end_to_end_id, ordinal) where ordinal is not null;
-- Created after refunds_by_payment: of two indexes with equal cost, PostgreSQL uses the newer.
create unique index refunds_by_key on refunds (payment_id, idempotency_key)
  where idempotency_key is not null;
create index refunds_by_token on refunds (token_id, created_at) where token_id is not null;
create index refunds_to_order_again on refunds (order_again_at) where order_again_at is not null;
create index refunds_owed on refunds (created_at) where owed is not null;
create index refunds_of_bank on refunds (created_at) where origin = 'bank' and state <> 'failed';

-- payment_id has no foreign key: the bank also tells of charges whose payments a restored database has lost.
-- Failing work on a charge is shown, tried again with growing pauses, and blocks no other work.
-- end_to_end_ids, returns: what the bank told of and is not on record yet. pix_told: how many Pix, where it did not
-- name each.
create table charge_problems (
  bank text not null,
  txid text not null,
  work text not null check (work in ('register', 'settle', 'expire', 'cancel')),
  payment_id uuid,
  error jsonb not null,
  tries integer not null default 1,
  since timestamptz not null,
  looks integer not null default 0,
  end_to_end_ids text[] not null default '{}',
  returns jsonb not null default '[]',
  pix_told integer not null default 0,
  try_at timestamptz,
  primary key (bank, txid, work)
);
create index charge_problems_by_payment on charge_problems (payment_id) where payment_id is not null;
create index charge_problems_in_order on charge_problems (since, txid);
create index charge_problems_due on charge_problems (bank, try_at) where try_at is not null;

-- How far each scan of a bank's lists has come.
create table cursors (bank text, name text, position timestamptz not null, primary key (bank, name));

-- The last comparison of each bank's day with ours (conciliação).
-- settled: what the bank lists of the day was settled just before. A person's look does not settle.
create table reconciliations (
  bank text not null,
  day text not null,
  checked_at timestamptz not null,
  settled boolean not null,
  differences integer not null,
  result json not null,
  primary key (day, bank)
);

-- A bank that was asked for a charge and gave no answer may have taken it. Nobody saw its code: it is removed there,
-- unless the payment became this bank's. payment_id has no foreign key: the row is committed before the payment is.
create table unheard_charges (
  payment_id uuid not null,
  bank text not null,
  asked_at timestamptz not null,
  try_at timestamptz not null,
  tries integer not null default 0,
  primary key (payment_id, bank)
);
create index unheard_charges_due on unheard_charges (bank, try_at);

-- The banks that were ever configured. failing_until is renewed while any process sees the bank fail.
create table banks (
  id text primary key,
  psp text not null,
  known_since timestamptz not null,
  failing_since timestamptz,
  failing_until timestamptz,
  last_error jsonb,
  paused_since timestamptz,
  paused_reason text,
  last_paused_at timestamptz,
  resumed_at timestamptz
);

-- The kept totals by day, store, status and bank, and the number of payments by store and status.

-- The days of the books are São Paulo's.
create function day_of(moment timestamptz) returns date language sql immutable parallel safe
  return (moment at time zone 'America/Sao_Paulo')::date;

-- A payment counts when it is created and when it is approved, a return when it is made. All figures are bigint in
-- each part, as in the kept totals: only then does a filter of the view reach the indexes. The statuses that keep money are the domain's `isConfirmed`;
-- figures.test.ts compares them.
create view figures as
  select id as payment_id, null as end_to_end_id, null as refund_id, created_at as moment, store_id, status, bank,
    1::bigint as created, amount as created_amount, 0::bigint as approved, 0::bigint as approved_amount,
    0::bigint as fee_amount, 0::bigint as received, 0::bigint as refunded_amount, 0::bigint as given_back
  from payments
  union all
  select id, null, null, approved_at, store_id, status, bank,
    0::bigint, 0::bigint, (kept > 0)::int::bigint, kept,
    case when kept > 0 then coalesce(fee_amount, 0) else 0 end, received, 0::bigint, 0::bigint
  from payments, lateral (
    select case when status in ('approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected')
      then amount else 0 end as kept) kept
  where approved_at is not null
  union all
  select payment_id, end_to_end_id, refunds.id, made_at, store_id, status, refunds.bank,
    0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, refunds.amount, coalesce(given_back, 0)
  from refunds left join payments on payments.id = payment_id
  where made_at is not null;

-- Each change of a payment's money appends differences here, so that no two changes wait for each other. A scan
-- folds them into daily_totals; a total is the sum of both.
create table total_changes (
  day date not null,
  store_id uuid,
  status text,
  bank text,
  created bigint not null default 0,
  created_amount bigint not null default 0,
  approved bigint not null default 0,
  approved_amount bigint not null default 0,
  fee_amount bigint not null default 0,
  received bigint not null default 0,
  refunded_amount bigint not null default 0,
  given_back bigint not null default 0
);
create table daily_totals (
  day date not null,
  store_id uuid,
  status text,
  bank text,
  created bigint not null default 0,
  created_amount bigint not null default 0,
  approved bigint not null default 0,
  approved_amount bigint not null default 0,
  fee_amount bigint not null default 0,
  received bigint not null default 0,
  refunded_amount bigint not null default 0,
  given_back bigint not null default 0,
  unique nulls not distinct (day, store_id, status, bank)
) with (fillfactor = 50);
create index daily_totals_by_store on daily_totals (store_id, day);

-- No statement can forget the totals: each change of a payment or a return appends one difference, its figures now less
-- those before. A return counts in its payment's status, so it moves when the status does. The figures are those of the
-- view; totals.test.ts compares them.
create function append_payment() returns trigger language plpgsql as $$
  begin
    insert into total_changes (
      day, store_id, status, bank, created, created_amount, approved, approved_amount, fee_amount, received,
      refunded_amount, given_back
    )
    select day_of(part.moment), new.store_id, state.status, part.bank,
      sum(sign * part.created), sum(sign * part.created_amount), sum(sign * part.approved), sum(sign * part.kept),
      sum(sign * part.fee), sum(sign * part.received), sum(sign * part.refunded), sum(sign * part.given_back)
    from (values
        (1, new.status, new.bank, new.amount, new.fee_amount, new.approved_at, new.received),
        (-1, old.status, old.bank, old.amount, old.fee_amount, old.approved_at, old.received)
      ) state (sign, status, bank, amount, fee, approved_at, received),
      lateral (
        select case when state.status in ('approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected')
          then state.amount else 0 end
      ) money (kept),
      lateral (
        select new.created_at, state.bank, 1, state.amount, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint
        union all
        select state.approved_at, state.bank, 0, 0, (kept > 0)::int, kept,
          case when kept > 0 then coalesce(state.fee, 0) else 0 end, state.received, 0, 0
        where state.approved_at is not null
        union all
        select refunds.made_at, refunds.bank, 0, 0, 0, 0, 0, 0, refunds.amount, coalesce(refunds.given_back, 0)
        from refunds
        where refunds.payment_id = new.id and refunds.made_at is not null and old.status <> new.status
      ) part (moment, bank, created, created_amount, approved, kept, fee, received, refunded, given_back)
    group by 1, 3, 4;
    return new;
  end $$;
create trigger payments_changed after update of status, amount, fee_amount, bank, approved_at, received on payments
  for each row execute function append_payment();

create function append_refund() returns trigger language plpgsql as $$
  begin
    insert into total_changes (day, store_id, status, bank, refunded_amount, given_back)
    select day_of(made_at), store_id, status, state.bank, sum(sign * state.amount), sum(sign * coalesce(back, 0))
    from (values
        (1, new.payment_id, new.made_at, new.bank, new.amount, new.given_back),
        (-1, old.payment_id, old.made_at, old.bank, old.amount, old.given_back)
      ) state (sign, payment_id, made_at, bank, amount, back)
      left join payments on payments.id = state.payment_id
    where made_at is not null
    group by 1, 2, 3, 4;
    return new;
  end $$;
create trigger refunds_changed after update of payment_id, amount, made_at, given_back on refunds
  for each row execute function append_refund();
create trigger refunds_inserted after insert on refunds
  for each row when (new.made_at is not null) execute function append_refund();

-- A list's total is the sum of its counts. Half-empty pages keep a row's many updates in its page.
create table payment_counts (
  store_id uuid not null,
  status text not null,
  shard integer not null,
  payments bigint not null,
  primary key (store_id, status, shard)
) with (fillfactor = 50);

-- Each connection counts in its own shard. With one row per count, transactions on one store's payments would wait for
-- each other's commits. Sorted rows prevent deadlocks.
create function count_moved() returns trigger language plpgsql as $$
  begin
    insert into payment_counts as known (store_id, status, shard, payments)
    select store_id, status, pg_backend_pid() % 32, change
    from (select new.store_id, * from (values (old.status, -1), (new.status, 1)) step (status, change)) changes
    order by store_id, status
    on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments;
    return new;
  end $$;
create trigger payments_moved after update of status on payments
  for each row when (old.status <> new.status) execute function count_moved();

-- A new payment only counts as created. Many are inserted at once, so they are counted together.
create function count_created() returns trigger language plpgsql as $$
  begin
    insert into payment_counts as known (store_id, status, shard, payments)
    select store_id, status, pg_backend_pid() % 32, change
    from (select store_id, status, count(*) as change from created group by 1, 2) changes
    order by store_id, status
    on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments;
    insert into total_changes (day, store_id, status, bank, created, created_amount)
    select day_of(created_at), store_id, status, bank, count(*), sum(amount) from created group by 1, 2, 3, 4;
    return new;
  end $$;
create trigger payments_created after insert on payments referencing new table as created
  for each statement execute function count_created();

-- The keys of programs, and the erasure of persons.

-- A deleted key keeps its row, since the record names it.
create table keys (
  id uuid primary key,
  name text not null,
  role text not null,
  store_id uuid references stores,
  hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  deleted_at timestamptz
);

create table erasures (
  id uuid primary key,
  email text,
  payment_ids uuid[] not null,
  requested_at timestamptz not null,
  finished_at timestamptz
);
create index erasures_open on erasures (requested_at) where finished_at is null;

-- People's accounts and their sessions at the panel.

create table accounts (
  id uuid primary key,
  name text not null,
  email text not null,
  role text not null,
  role_from_groups boolean not null default false,
  store_id uuid references stores,
  active boolean not null default true,
  password text,
  invitation_hash bytea unique,
  invitation_until timestamptz,
  reset_hash bytea unique,
  reset_until timestamptz,
  totp_secret bytea,
  totp_step bigint,
  wrong_codes integer not null default 0,
  issuer text,
  subject text,
  notices text[],
  created_at timestamptz not null
);
create unique index accounts_by_email on accounts (lower(email));
create unique index accounts_by_subject on accounts (issuer, subject) where subject is not null;

-- The SHA-256 of each code that is left.
create table recovery_codes (
  account_id uuid not null references accounts,
  hash bytea not null,
  primary key (account_id, hash)
);

create table passkeys (
  id text primary key,
  account_id uuid not null references accounts,
  public_key bytea not null,
  counter bigint not null,
  name text not null,
  challenge_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_account on passkeys (account_id);

-- An ended session has no row.
create table sessions (
  hash bytea primary key,
  id uuid not null unique,
  account_id uuid references accounts,
  complete boolean not null,
  address text not null,
  browser text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  proved_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_by_account on sessions (account_id);

-- Failed sign-ins by what they are counted for; key is a hash, since it contains an e-mail or an address.
create table sign_in_failures (key bytea primary key, count int not null, last_at timestamptz not null);
-- Failures that count no more are removed, oldest first.
create index sign_in_failures_by_last on sign_in_failures (last_at);

-- Where an account has signed in before: hashes of its e-mail with an address or a browser's cookie.
create table known_places (key bytea primary key, seen_at timestamptz not null);

-- Notices: facts that people are told of, and the mails that tell them (Contract: notices).

-- A fact is written in the commit of its cause, or by the scan that sees it; its key makes a repeat harmless. shared_at
-- is null until it was given to the mails of those whom it concerns.
create table notices (
  id uuid primary key,
  kind text not null,
  key text not null,
  store_id uuid,
  facts json not null,
  occurred_at timestamptz not null,
  shared_at timestamptz,
  unique (kind, key)
);
create index notices_to_share on notices (id) where shared_at is null;
create index notices_by_time on notices (occurred_at) where shared_at is not null;

-- A mail to a person, or a post to the platform's webhook, which has no account. next_attempt_at is the lease of a try.
-- closed: its text may have left, or it tells one thing alone, so that nothing is added to it.
-- fixed: an earlier try may have arrived, or was about to, so that each repeat has the same words.
-- link: a one-time link that stands in the text and nowhere else, sealed, and gone once the mail has ended.
create table mails (
  id uuid primary key,
  kind text not null,
  account_id uuid references accounts,
  recipient text not null,
  subject text,
  facts json,
  link text,
  state text not null check (state in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  closed boolean not null,
  fixed boolean not null default false,
  last_error jsonb,
  created_at timestamptz not null,
  sent_at timestamptz,
  constraint mails_due_only_pending check ((state = 'pending') = (next_attempt_at is not null)),
  constraint mails_link_only_pending check (state = 'pending' or link is null)
);
create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_due_by_account on mails (account_id, next_attempt_at) where next_attempt_at is not null;
create index mails_failed on mails (created_at) where state = 'failed';
create index mails_by_account on mails (account_id, kind, id);
-- Refuses a second mail that collects the same for the same person, in any race.
create unique index mails_that_collect on mails (account_id, kind) nulls not distinct where not closed;

-- What a mail that has not ended brings. Notices are removed long after that, so no foreign key checks each of them.
create table mail_notices (
  mail_id uuid not null references mails on delete cascade,
  notice_id uuid not null,
  primary key (mail_id, notice_id)
);

-- The record of administrators' changes, and the chain of its hashes.
--
-- Promise: an entry that was changed, removed, exchanged or put between others is found, also where the tables' owner
-- did it. The services' role can only add entries: it neither owns the tables nor writes a hash.
--
-- A deferred trigger makes a hash at the commit. Taken earlier, the lock of the chain's end would be held for the rest
-- of a transaction that holds payments, could close a circle with their locks, and a process that hangs would keep
-- everybody from the record. At the commit a transaction waits for no other lock and for no process.

-- No column holds a secret. store_id is null if a change concerns all stores. subject is the id of the token,
-- delivery, refund, endpoint, account or key. event_id is the event that a status change committed.
-- author: the name of the account or key at that time; author_id is null for ADMIN_KEY.
-- address, browser: where the request came from; null where no request made the entry.
create table changes (
  id bigint generated always as identity primary key,
  action text not null,
  store_id uuid,
  payment_id uuid,
  subject text,
  event_id uuid,
  before json,
  after json,
  author text,
  author_id uuid,
  via text not null,
  reason text,
  request_id text,
  address text,
  browser text,
  occurred_at timestamptz not null
);
-- position: the place in the order of commits. hash: SHA-256 of the hash before it and the entry's text.
create table change_hashes (
  position bigint primary key,
  change_id bigint not null unique,
  hash bytea not null
);
-- Nobody rewrites the record. The tables' owner can remove this; the chain then shows what was done.
create function refuse_change() returns trigger language plpgsql as
  $$ begin raise exception 'the record can not be changed' using errcode = '42501'; end $$;
create trigger changes_stay before update or delete or truncate on changes
  for each statement execute function refuse_change();
create trigger change_hashes_stay before update or delete or truncate on change_hashes
  for each statement execute function refuse_change();
-- An entry's text names every column and has the same bytes in every session: a time would be written in the session's
-- zone. `record-check.ts` makes the same text of entries of all ages, so it must stay as it is.
-- Each statement of a function sees what was committed before it: after the lock, the newest end of the chain. The
-- lock lasts until the commit is done. The primary key refuses a fork, whatever a session sees.
create function chain_change() returns trigger language plpgsql security definer as $$
  declare last record;
  begin
    perform pg_advisory_xact_lock(hashtextextended('payments: end of the record', 0));
    select position, hash into last from change_hashes order by position desc limit 1;
    insert into change_hashes (position, change_id, hash) values (
      coalesce(last.position, 0) + 1,
      new.id,
      sha256(coalesce(last.hash, ''::bytea) || convert_to(json_build_array(
          new.id, new.action, new.store_id, new.payment_id, new.subject, new.event_id, new.before,
          new.after, new.author, new.author_id, new.via, new.reason, new.request_id, new.address, new.browser,
          (extract(epoch from new.occurred_at) * 1000000)::bigint
        )::text, 'UTF8'))
    );
    return null;
  end $$;
-- It runs as its owner: it must find the owner's tables, and no temporary one that somebody made. Nobody may attach
-- it to another table, whose rows would enter the chain.
do $$ begin
  execute format('alter function chain_change() set search_path = pg_catalog, %I, pg_temp', current_schema());
end $$;
revoke execute on function chain_change() from public;
create constraint trigger changes_chained after insert on changes deferrable initially deferred
  for each row execute function chain_change();
create index changes_by_store on changes (store_id, id) where payment_id is null;
create index changes_by_payment on changes (payment_id, id) where payment_id is not null;
create unique index changes_by_event on changes (event_id) where event_id is not null;
-- How often an actor did something in ten minutes, until an entry tells it. last is the latest of them, as JSON.
create table repeated_changes (
  actor text not null,
  kind text not null,
  since timestamptz not null,
  is_anonymous boolean not null,
  times integer not null,
  last json not null,
  primary key (since, actor, kind)
);

-- These tables grow, or change in bulk. Plans depend on statistics, so PostgreSQL refreshes them after 1 % of changes
-- instead of 10 %. It removes dead rows after 2 % instead of 20 %, which would be millions that retention reads over.
alter table payments set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table events set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table outbox set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table deliveries set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table pix_received set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table refunds set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table charge_problems set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table total_changes set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
alter table daily_totals set (autovacuum_analyze_scale_factor = 0.01, autovacuum_vacuum_scale_factor = 0.02);
