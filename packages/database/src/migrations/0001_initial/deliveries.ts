/** Webhooks: what is to be sent where, every attempt at it, and the receivers that fail. */
export const deliveries = [
  // A receiver is a store's URL without its query, so that an id in the query makes no new receiver.
  `create function endpoint_of(store_id uuid, url text) returns uuid language sql immutable parallel safe
    return md5(store_id::text || ' ' || regexp_replace(url, '[?#].*$', ''))::uuid`,

  // A payment has one webhookUrl, so a delivery shares the id of its event. It has no index by payment: the one of the
  // events finds it.
  // next_attempt_at: when it is due; null while it waits for the first attempt of the event before it, and at its end.
  // claimed_at without claim_id: reserved for the dispatcher that JetStream brings the event to, until next_attempt_at.
  // leased_until: when a claim ends, unless it is renewed. No index holds it, so a claim writes no index entry.
  // last_*: the last attempt. The next claim moves it to attempts; most deliveries have one, and take no second row.
  // The fillfactor leaves room for the versions of a row that its claim and its record make, in the same page.
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
    leased_until timestamptz,
    last_number integer,
    last_started_at timestamptz,
    last_duration_ms integer,
    last_status_code integer,
    last_stage text,
    last_error text,
    last_response_excerpt text,
    request_id text,
    created_at timestamptz not null,
    constraint deliveries_due_only_pending check (state = 'pending' or next_attempt_at is null)
  ) with (fillfactor = 45)`,
  'create index deliveries_by_store on deliveries (store_id, id)',
  // Without what is delivered, which is nearly all: such an end writes no entry here.
  `create index deliveries_not_delivered on deliveries (state, id) where state <> 'delivered'`,
  // By time alone. Statements that named the state, too, could take another index and read all that is pending.
  'create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null',
  // Only statements that say `is false` find this index (`isToAttempt`). Any other would read a whole backlog by it.
  `create index deliveries_to_attempt_by_endpoint on deliveries (endpoint, next_attempt_at)
    where (next_attempt_at is null) is false`,

  // The attempts before each delivery's last, and what was recorded after its claim had ended.
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
  // A crash of the server may give two attempts one number: the one whose claim held is shown.
  `create view all_attempts as
    select delivery_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt from attempts a
    where not exists (select from deliveries where id = a.delivery_id and last_number = a.number)
    union all
    select id, last_number, last_started_at, last_duration_ms, last_status_code, last_stage, last_error,
      last_response_excerpt
    from deliveries where last_number is not null`,

  // Only receivers that fail now have a row. While a breaker is open, its receiver gets nothing until open_until, and
  // then a single delivery as a probe.
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
  'create index failing_endpoints_to_probe on failing_endpoints (open_until) where open_until is not null',
];
