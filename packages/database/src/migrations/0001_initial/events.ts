/** What happened to each payment, and what of it waits to be published. */
export const events = [
  // An event is written once, in the commit of the change that it tells of.
  // payload is json, not jsonb: the bytes that were committed are the bytes that are sent.
  // trace_parent is the W3C `traceparent` of what caused the event, so that its trace goes on in other processes.
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

  // A table of its own: publishing deletes a small row and leaves the event as it is.
  'create table outbox (event_id uuid primary key)',
];
