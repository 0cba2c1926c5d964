/** The keys of programs, and the erasure of persons. */
export const people = [
  // A deleted key keeps its row, since the record names it.
  `create table keys (
    id uuid primary key,
    name text not null,
    role text not null,
    store_id uuid references stores,
    hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    deleted_at timestamptz
  )`,

  `create table erasures (
    id uuid primary key,
    email text,
    payment_ids uuid[] not null,
    requested_at timestamptz not null,
    finished_at timestamptz
  )`,
  'create index erasures_open on erasures (requested_at) where finished_at is null',
];
