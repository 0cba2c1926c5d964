/** People's accounts and their sessions at the panel. */
export const accounts = [
  `create table accounts (
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
    totp_secret bytea,
    totp_step bigint,
    wrong_codes integer not null default 0,
    issuer text,
    subject text,
    created_at timestamptz not null
  )`,
  'create unique index accounts_by_email on accounts (lower(email))',
  'create unique index accounts_by_subject on accounts (issuer, subject) where subject is not null',

  // The SHA-256 of each code that is left.
  `create table recovery_codes (
    account_id uuid not null references accounts,
    hash bytea not null,
    primary key (account_id, hash)
  )`,

  `create table passkeys (
    id text primary key,
    account_id uuid not null references accounts,
    public_key bytea not null,
    counter bigint not null,
    name text not null,
    challenge_at timestamptz,
    created_at timestamptz not null,
    last_used_at timestamptz
  )`,
  'create index passkeys_by_account on passkeys (account_id)',

  // An ended session has no row.
  `create table sessions (
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
  )`,
  'create index sessions_by_account on sessions (account_id)',

  // Failed sign-ins by what they are counted for; key is a hash, since it contains an e-mail or an address.
  'create table sign_in_failures (key bytea primary key, count int not null, last_at timestamptz not null)',
  // What counts no more is removed, oldest first.
  'create index sign_in_failures_by_last on sign_in_failures (last_at)',

  // Where an account has signed in before: hashes of its e-mail with an address or a browser's cookie.
  'create table known_places (key bytea primary key, seen_at timestamptz not null)',
];
