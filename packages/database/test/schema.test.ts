import { type SelectType, sql } from 'kysely';
import t from 'tap';
import type { Schema } from '../src/schema.ts';
import { openDatabase } from './rows.ts';

type IsNullable<T> = null extends T ? true : false;
type Kind<T> = T extends string
  ? 'text' | 'uuid' | 'date'
  : T extends number
    ? 'integer' | 'bigint'
    : T extends boolean
      ? 'boolean'
      : T extends Date
        ? 'timestamptz'
        : T extends Buffer
          ? 'bytea'
          : T extends string[]
            ? 'ARRAY'
            : 'json' | 'jsonb';
type HasDefault<C> = C extends { readonly __insert__: infer I }
  ? undefined extends I
    ? true
    : false
  : false;
type Suffix<C> =
  HasDefault<C> extends true ? ' default' : IsNullable<SelectType<C>> extends true ? ' null' : '';

/** A column's type in PostgreSQL. The compiler checks the list below against it. */
type Column<C> = `${Kind<NonNullable<SelectType<C>>>}${Suffix<C>}`;
type Tables = { [Table in keyof Schema]: { [Name in keyof Schema[Table]]: Column<Schema[Table][Name]> } };

const totals = {
  day: 'date',
  store_id: 'uuid null',
  status: 'text null',
  bank: 'text null',
  created: 'bigint default',
  approved: 'bigint default',
  approved_amount: 'bigint default',
  fee_amount: 'bigint default',
  received: 'bigint default',
  refunded_amount: 'bigint default',
  given_back: 'bigint default',
} as const;

const tables: Tables = {
  total_changes: totals,
  daily_totals: totals,
  stores: {
    id: 'uuid',
    name: 'text',
    active: 'boolean default',
    fee_ppm: 'integer null',
    fee_fixed: 'integer null',
    max_amount: 'integer',
    review_above: 'integer null',
    banks: 'ARRAY null',
    webhook_secret: 'text',
    previous_webhook_secret: 'text null',
    previous_webhook_secret_until: 'timestamptz null',
    created_at: 'timestamptz',
  },
  tokens: {
    id: 'uuid',
    store_id: 'uuid',
    hash: 'bytea',
    created_at: 'timestamptz',
    expires_at: 'timestamptz null',
    deactivated_at: 'timestamptz null',
    superseded_at: 'timestamptz null',
    last_used_at: 'timestamptz null',
  },
  payments: {
    id: 'uuid',
    store_id: 'uuid',
    status: 'text',
    charged: 'bigint',
    amount: 'bigint',
    fee_amount: 'bigint null',
    liquid_value: 'bigint null',
    fee_ppm: 'integer null',
    fee_fixed: 'integer null',
    observation: 'text null',
    email: 'text null',
    search_text: 'text null',
    webhook_url: 'text null',
    is_public: 'boolean',
    bank: 'text null',
    copy_and_paste: 'text null',
    reference: 'text null',
    expires_in: 'integer null',
    charge_state: 'text',
    charge_try_at: 'timestamptz null',
    charge_tries: 'integer default',
    registered_at: 'timestamptz null',
    expires_at: 'timestamptz',
    expiry_check_at: 'timestamptz',
    review_since: 'timestamptz null',
    review_timed_out_at: 'timestamptz null',
    approved_at: 'timestamptz null',
    received: 'bigint null',
    events: 'integer',
    request_id: 'text null',
    created_at: 'timestamptz',
  },
  events: {
    id: 'uuid',
    payment_id: 'uuid',
    store_id: 'uuid',
    sequence: 'integer',
    type: 'text',
    status: 'text',
    previous_status: 'text null',
    payload: 'json',
    actor: 'text',
    reason: 'text null',
    request_id: 'text null',
    trace_parent: 'text null',
    occurred_at: 'timestamptz',
  },
  outbox: { event_id: 'uuid', created_at: 'timestamptz default' },
  dispatchers: { id: 'uuid', leased_until: 'timestamptz' },
  deliveries: {
    id: 'uuid',
    payment_id: 'uuid',
    store_id: 'uuid',
    sequence: 'integer',
    url: 'text',
    endpoint: 'uuid',
    state: 'text',
    attempts: 'integer default',
    attempts_before_redrive: 'integer default',
    attempted: 'boolean default',
    next_attempt_at: 'timestamptz null',
    claimed_by: 'uuid null',
    claimed_at: 'timestamptz null',
    attempt_log: 'jsonb default',
    request_id: 'text null',
    created_at: 'timestamptz',
  },
  payment_counts: {
    store_id: 'uuid',
    status: 'text',
    shard: 'integer',
    payments: 'bigint',
  },
  failing_endpoints: {
    id: 'uuid',
    store_id: 'uuid',
    url: 'text',
    failures: 'integer',
    openings: 'integer',
    failing_since: 'timestamptz',
    open_until: 'timestamptz null',
    last_error: 'text null',
  },
  pix_received: {
    end_to_end_id: 'text',
    bank: 'text',
    payment_id: 'uuid null',
    amount: 'bigint',
    effect: 'text',
    paid_at: 'timestamptz',
    received_at: 'timestamptz',
    txid: 'text null',
    unmatched: 'text null',
  },
  refunds: {
    id: 'text',
    end_to_end_id: 'text',
    bank: 'text',
    payment_id: 'uuid null',
    amount: 'bigint',
    wanted: 'bigint',
    origin: 'text',
    reason: 'text',
    note: 'text null',
    state: 'text',
    rtr_id: 'text null',
    tries: 'integer default',
    try_at: 'timestamptz null',
    claim_id: 'uuid null',
    last_error: 'text null',
    replaces: 'text null',
    ordinal: 'integer null',
    reorders: 'integer default',
    order_again_at: 'timestamptz null',
    owed: 'bigint null',
    made_at: 'timestamptz null',
    given_back: 'bigint null',
    idempotency_key: 'text null',
    request_hash: 'bytea null',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  idempotency_keys: {
    store_id: 'uuid',
    key: 'text',
    request_hash: 'bytea',
    payment_id: 'uuid',
    created_at: 'timestamptz',
  },
  charge_problems: {
    bank: 'text',
    end_to_end_ids: 'ARRAY default',
    txid: 'text',
    work: 'text',
    payment_id: 'uuid null',
    error: 'text',
    tries: 'integer default',
    since: 'timestamptz',
    try_at: 'timestamptz null',
  },
  reconciliations: {
    bank: 'text',
    day: 'text',
    checked_at: 'timestamptz',
    differences: 'integer',
    result: 'json',
  },
  unheard_charges: {
    payment_id: 'uuid',
    bank: 'text',
    asked_at: 'timestamptz',
    try_at: 'timestamptz',
    tries: 'integer default',
  },
  banks: {
    id: 'text',
    psp: 'text',
    known_since: 'timestamptz',
    failing_since: 'timestamptz null',
    failing_until: 'timestamptz null',
    last_error: 'text null',
    paused_since: 'timestamptz null',
    paused_reason: 'text null',
    resumed_at: 'timestamptz null',
  },
  cursors: {
    bank: 'text',
    name: 'text',
    position: 'timestamptz',
  },
  keys: {
    id: 'uuid',
    name: 'text',
    role: 'text',
    store_id: 'uuid null',
    hash: 'bytea',
    created_at: 'timestamptz',
    expires_at: 'timestamptz null',
    last_used_at: 'timestamptz null',
    deleted_at: 'timestamptz null',
  },
  erasures: {
    id: 'uuid',
    email: 'text null',
    payment_ids: 'ARRAY',
    requested_at: 'timestamptz',
    finished_at: 'timestamptz null',
  },
  accounts: {
    id: 'uuid',
    name: 'text',
    email: 'text',
    role: 'text',
    store_id: 'uuid null',
    active: 'boolean default',
    password: 'text null',
    invitation_hash: 'bytea null',
    invitation_until: 'timestamptz null',
    totp_secret: 'bytea null',
    totp_step: 'bigint null',
    issuer: 'text null',
    subject: 'text null',
    created_at: 'timestamptz',
  },
  passkeys: {
    id: 'text',
    account_id: 'uuid',
    public_key: 'bytea',
    counter: 'bigint',
    name: 'text',
    challenge_at: 'timestamptz null',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz null',
  },
  recovery_codes: { account_id: 'uuid', hash: 'bytea' },
  sessions: {
    hash: 'bytea',
    id: 'uuid',
    account_id: 'uuid null',
    name: 'text null',
    complete: 'boolean',
    address: 'text',
    browser: 'text null',
    created_at: 'timestamptz',
    last_used_at: 'timestamptz',
    expires_at: 'timestamptz',
  },
  sign_in_failures: { key: 'bytea', count: 'integer', last_at: 'timestamptz' },
  known_places: { key: 'bytea', seen_at: 'timestamptz' },
  changes: {
    id: 'bigint',
    action: 'text',
    store_id: 'uuid null',
    payment_id: 'uuid null',
    subject: 'text null',
    event_id: 'uuid null',
    before: 'json null',
    after: 'json null',
    author: 'text null',
    author_id: 'uuid null',
    via: 'text',
    reason: 'text null',
    request_id: 'text null',
    occurred_at: 'timestamptz',
  },
};

t.test('the table types match the migrated database', async (t) => {
  const { db } = await openDatabase(t);
  const { rows } = await sql<{ table_name: string; column_name: string; described: string }>`
    select table_name, column_name, replace(data_type, 'timestamp with time zone', 'timestamptz')
      || case when column_default is not null then ' default' when is_nullable = 'YES' then ' null' else '' end
      as described
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'`.execute(
    db,
  );
  const found: Record<string, Record<string, string>> = {};
  for (const { table_name, column_name, described } of rows) {
    found[table_name] ??= {};
    found[table_name][column_name] = described;
  }
  t.strictSame(found, tables);
});
