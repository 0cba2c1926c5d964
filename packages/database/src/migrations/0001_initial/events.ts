/** Events of payments, and the outbox of those to publish. */
export const events = [
  // An event is written once, in the commit of its change.
  // payload is json, not jsonb: the committed bytes are the bytes that are sent.
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
    trace_parent text,
    occurred_at timestamptz not null,
    unique (payment_id, sequence)
  )`,

  // A separate table: publishing deletes a small row and leaves the event unchanged.
  'create table outbox (event_id uuid primary key, created_at timestamptz not null default now())',
  'create index outbox_by_time on outbox (created_at)',
];
