/** Deliveries, their attempts, and the endpoints that fail. */
export const deliveries = [
  // An endpoint is a store's URL without its query, so an id in the query makes no new endpoint.
  `create function endpoint_of(store_id uuid, url text) returns uuid language sql immutable parallel safe
    return md5(store_id::text || ' ' || regexp_replace(url, '[?#].*$', ''))::uuid`,

  // A running dispatcher renews its lease. When the lease ends, others claim its deliveries.
  `create table dispatchers (
    id uuid primary key,
    leased_until timestamptz not null
  )`,

  // ARCHITECTURE.md has a table of a delivery's states. A payment has one webhookUrl, so a delivery shares the id of its event. The index of events finds it by payment.
  // The fillfactor leaves room in the page for the row versions of a claim and a record.
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
    claimed_by uuid,
    claimed_at timestamptz,
    attempt_log jsonb not null default '[]',
    request_id text,
    created_at timestamptz not null,
    constraint deliveries_due_only_pending check (state = 'pending' or next_attempt_at is null)
  ) with (fillfactor = 45)`,
  'create index deliveries_by_store on deliveries (store_id, created_at, id)',
  'create index deliveries_by_time on deliveries (created_at, id)',
  // Excludes delivered rows, nearly all of the table: a successful delivery writes no entry here.
  `create index deliveries_not_delivered on deliveries (state, created_at, id) where state <> 'delivered'`,
  'create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null',
  // A different predicate from the index above: the planner would prefer this one while statistics show nothing due.
  `create index deliveries_due_by_store on deliveries (store_id, endpoint, next_attempt_at)
    where (next_attempt_at is null) is false`,

  // Only failing endpoints have a row. While a circuit is open, its endpoint gets no deliveries until open_until, and
  // then one probe.
  `create table failing_endpoints (
    id uuid primary key,
    store_id uuid not null,
    url text not null,
    failures integer not null,
    openings integer not null,
    failing_since timestamptz not null,
    open_until timestamptz,
    last_error text
  )`,
];
