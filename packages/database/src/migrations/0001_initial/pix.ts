/** Pix received, refunds, failing work on charges, and how far the bank's lists were read. */
export const pix = [
  `create table pix_received (
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
  )`,
  'create index pix_received_by_time on pix_received (bank, paid_at)',
  'create index pix_received_by_payment on pix_received (payment_id)',
  `create index pix_unmatched on pix_received (received_at, end_to_end_id) where unmatched <> 'returned'`,
  `create index pix_unmatched_by_charge on pix_received (txid) where unmatched <> 'returned'`,

  `create table refunds (
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
    last_error text,
    looks integer not null default 0,
    concluded boolean not null default false,
    replaces text,
    ordinal integer,
    reorders integer not null default 0,
    order_again_at timestamptz,
    owed bigint,
    made_at timestamptz,
    given_back bigint,
    idempotency_key text,
    request_hash bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (end_to_end_id, id),
    constraint refunds_made_at check ((state = 'refunded') = (made_at is not null))
  )`,
  'create index refunds_by_time on refunds (made_at) where made_at is not null',
  'create index refunds_in_order on refunds (created_at, end_to_end_id, id)',
  'create index refunds_due on refunds (bank, try_at) where try_at is not null',
  `create index refunds_not_made on refunds (state) where state <> 'refunded'`,
  'create index refunds_by_payment on refunds (payment_id)',
  // These refuse two orders with one ordinal, and two replacements of one failed order, in any race.
  'create unique index refunds_that_replace on refunds (end_to_end_id, replaces) where replaces is not null',
  'create unique index refunds_by_ordinal on refunds (end_to_end_id, ordinal) where ordinal is not null',
  // Created after refunds_by_payment: of two indexes with equal cost, PostgreSQL uses the newer.
  `create unique index refunds_by_key on refunds (payment_id, idempotency_key)
    where idempotency_key is not null`,
  'create index refunds_to_order_again on refunds (order_again_at) where order_again_at is not null',
  'create index refunds_owed on refunds (created_at) where owed is not null',
  `create index refunds_of_bank on refunds (created_at) where origin = 'bank' and state <> 'failed'`,

  // Failing work on a charge is shown, tried again with growing pauses, and blocks no other work.
  `create table charge_problems (
    bank text not null,
    txid text not null,
    work text not null check (work in ('register', 'settle', 'expire', 'cancel')),
    payment_id uuid,
    error text not null,
    tries integer not null default 1,
    since timestamptz not null,
    looks integer not null default 0,
    end_to_end_ids text[] not null default '{}',
    returns jsonb not null default '[]',
    try_at timestamptz,
    primary key (bank, txid, work)
  )`,
  'create index charge_problems_by_payment on charge_problems (payment_id) where payment_id is not null',
  'create index charge_problems_in_order on charge_problems (since, txid)',
  'create index charge_problems_due on charge_problems (bank, try_at) where try_at is not null',

  // How far each scan of a bank's lists has come.
  'create table cursors (bank text, name text, position timestamptz not null, primary key (bank, name))',

  // The last comparison of each bank's day with ours (conciliação).
  `create table reconciliations (
    bank text not null,
    day text not null,
    checked_at timestamptz not null,
    differences integer not null,
    result json not null,
    primary key (day, bank)
  )`,

  // A bank that was asked for a charge and gave no answer may have taken it. Nobody saw its code: it is removed there,
  // unless the payment became this bank's.
  `create table unheard_charges (
    payment_id uuid not null,
    bank text not null,
    asked_at timestamptz not null,
    try_at timestamptz not null,
    tries integer not null default 0,
    primary key (payment_id, bank)
  )`,
  'create index unheard_charges_due on unheard_charges (bank, try_at)',

  // The banks that were ever configured. failing_until is renewed while any process sees the bank fail.
  `create table banks (
    id text primary key,
    psp text not null,
    known_since timestamptz not null,
    failing_since timestamptz,
    failing_until timestamptz,
    last_error text,
    paused_since timestamptz,
    paused_reason text,
    resumed_at timestamptz
  )`,
];
