/** Stores, their tokens, and the idempotency keys of their creations. */
export const stores = [
  `create table stores (
    id uuid primary key,
    name text not null,
    active boolean not null default true,
    fee_ppm integer check (fee_ppm between 0 and 1000000),
    fee_fixed integer check (fee_fixed >= 0),
    max_amount integer not null,
    review_above integer,
    banks text[],
    webhook_secret text not null,
    previous_webhook_secret text,
    previous_webhook_secret_until timestamptz,
    created_at timestamptz not null
  )`,

  // No index holds last_used_at, so recording a use rewrites only the row.
  `create table tokens (
    id uuid primary key,
    store_id uuid not null references stores,
    hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    deactivated_at timestamptz,
    superseded_at timestamptz,
    last_used_at timestamptz
  )`,
  // Refuses a second current token in any race.
  'create unique index tokens_current on tokens (store_id) where superseded_at is null',
  'create index tokens_by_store on tokens (store_id, id)',

  `create table idempotency_keys (
    store_id uuid not null references stores,
    key text not null,
    request_hash bytea not null,
    payment_id uuid not null,
    created_at timestamptz not null,
    primary key (store_id, key)
  )`,
  'create index idempotency_keys_by_age on idempotency_keys (created_at)',
];
