import { type Kysely, sql } from 'kysely';

/** The first schema. Amounts are centavos; ids are UUIDv7, so an index on an id is also one on creation time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table stores (
    id uuid primary key,
    name text not null,
    active boolean not null default true,
    fee_ppm integer check (fee_ppm between 0 and 1000000),
    fee_fixed integer check (fee_fixed >= 0),
    max_amount integer not null,
    review_above integer,
    webhook_secret text not null,
    previous_webhook_secret text,
    previous_webhook_secret_until timestamptz,
    created_at timestamptz not null
  )`,

  `create table tokens (
    id uuid primary key,
    store_id uuid not null references stores,
    hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    deactivated_at timestamptz,
    superseded_at timestamptz
  )`,
  // The database itself refuses a second current token, whatever races (spec 5.4).
  `create unique index tokens_current on tokens (store_id) where superseded_at is null`,
  `create index tokens_by_store on tokens (store_id, id)`,

  `create table payments (
    id uuid primary key,
    store_id uuid not null references stores,
    status text not null check (status in ('pending', 'approved', 'review', 'not_approved', 'paid',
      'withdrawal_processing', 'receipt_sent', 'rejected')),
    amount bigint not null check (amount > 0),
    fee_amount bigint,
    liquid_value bigint,
    observation text,
    email text,
    webhook_url text,
    is_public boolean not null,
    copy_and_paste text,
    charge_state text not null check (charge_state in ('unregistered', 'registered', 'cancelling', 'closed')),
    charge_try_at timestamptz,
    charge_tries integer not null default 0,
    expires_at timestamptz not null,
    expiry_check_at timestamptz not null,
    review_since timestamptz,
    events integer not null,
    request_id text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  ) with (fillfactor = 85)`,
  `create index payments_by_store on payments (store_id, id)`,
  `create index payments_by_store_and_status on payments (store_id, status, id)`,
  `create index payments_to_expire on payments (expiry_check_at) where status = 'pending'`,
  `create index payments_in_review on payments (review_since) where status = 'review'`,
  `create index payments_charge_due on payments (charge_try_at) where charge_try_at is not null`,

  // How many payments a store has in a status, so that a list's total needs no counting. Spread over shards, so that
  // one store's creations do not queue on one row; half-empty pages keep their many updates in place.
  `create table payment_counts (
    store_id uuid not null,
    status text not null,
    shard integer not null,
    payments bigint not null,
    primary key (store_id, status, shard)
  ) with (fillfactor = 50)`,

  // The outbox and the history in one: an event is written with the change that it tells of.
  // payload is json, not jsonb: the bytes that were committed are the bytes that are sent.
  `create table events (
    id uuid primary key,
    payment_id uuid not null references payments,
    store_id uuid not null,
    sequence integer not null,
    type text not null,
    status text not null,
    previous_status text,
    payload json not null,
    actor text not null,
    reason text,
    request_id text,
    occurred_at timestamptz not null,
    published_at timestamptz,
    ledgered_at timestamptz,
    unique (payment_id, sequence)
  )`,
  `create index events_to_publish on events (id) where published_at is null`,
  `create index events_to_ledger on events (occurred_at) where ledgered_at is null`,

  // A payment has one webhookUrl, so a delivery is its event's and shares its id.
  // next_attempt_at: when it is due; while an attempt runs, when its lease ends; null while it waits for the
  // first attempt of the event before it.
  `create table deliveries (
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
    claim_id uuid,
    claimed_at timestamptz,
    last_error text,
    request_id text,
    created_at timestamptz not null,
    finished_at timestamptz,
    unique (payment_id, sequence)
  ) with (fillfactor = 85)`,
  `create index deliveries_due on deliveries (next_attempt_at) where state = 'pending'`,
  `create index deliveries_due_by_endpoint on deliveries (endpoint, next_attempt_at) where state = 'pending'`,
  `create index deliveries_by_store on deliveries (store_id, id)`,
  `create index deliveries_by_state on deliveries (state, id)`,

  // What one receiver is: a store's URL without its query, so that an id in the query makes no new receiver.
  `create function endpoint_of(store_id uuid, url text) returns uuid language sql immutable parallel safe
    return md5(store_id::text || ' ' || regexp_replace(url, '[?#].*$', ''))::uuid`,

  // Only receivers that fail now have a row. One whose breaker is open is left alone until open_until, and then
  // probed with a single delivery.
  `create table failing_endpoints (
    id uuid primary key,
    store_id uuid not null,
    url text not null,
    phase text not null check (phase in ('closed', 'open', 'half-open')),
    failures integer not null,
    openings integer not null,
    failing_since timestamptz not null,
    open_until timestamptz,
    last_error text
  )`,
  `create index failing_endpoints_to_probe on failing_endpoints (open_until) where open_until is not null`,

  // The next endpoint after this one that has pending deliveries: a step of a walk along the index.
  `create function min_endpoint(after_endpoint uuid) returns uuid language sql stable
    return (select endpoint from deliveries where state = 'pending' and endpoint > after_endpoint
      order by endpoint limit 1)`,

  `create table attempts (
    delivery_id uuid not null references deliveries,
    number integer not null,
    started_at timestamptz not null,
    duration_ms integer,
    status_code integer,
    stage text,
    error text,
    response_excerpt text,
    primary key (delivery_id, number)
  )`,

  `create table pix_received (
    end_to_end_id text primary key,
    payment_id uuid not null references payments,
    amount bigint not null check (amount > 0),
    effect text not null,
    paid_at timestamptz not null,
    received_at timestamptz not null
  )`,
  `create index pix_received_by_payment on pix_received (payment_id)`,

  `create table refunds (
    id text not null,
    end_to_end_id text not null references pix_received,
    payment_id uuid not null references payments,
    amount bigint not null check (amount > 0),
    origin text not null check (origin in ('service', 'bank')),
    reason text not null,
    state text not null check (state in ('requested', 'processing', 'refunded', 'failed')),
    rtr_id text,
    tries integer not null default 0,
    try_at timestamptz,
    claim_id uuid,
    last_error text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (end_to_end_id, id)
  )`,
  // One refund of ours per Pix: a second time-out, dispatcher or decision finds this one (design 7.4). One that failed
  // for good can be ordered anew, by a person.
  `create unique index refunds_of_ours on refunds (end_to_end_id) where origin = 'service' and state <> 'failed'`,
  `create index refunds_due on refunds (try_at) where try_at is not null`,
  `create index refunds_not_made on refunds (state) where state <> 'refunded'`,
  `create index refunds_by_payment on refunds (payment_id)`,

  `create table idempotency_keys (
    store_id uuid not null references stores,
    key text not null,
    request_hash bytea not null,
    payment_id uuid not null,
    created_at timestamptz not null,
    primary key (store_id, key)
  )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,

  // How far a scan that reads someone else's list has come.
  `create table cursors (name text primary key, position timestamptz not null)`,
];
