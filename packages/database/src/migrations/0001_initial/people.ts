/** The keys of programs. */
export const people = [
  // hash: the SHA-256 of the key, its only stored form. A deleted key keeps its row, since the record names it.
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
];
