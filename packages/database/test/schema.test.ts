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
  storeId: 'uuid null',
  status: 'text null',
  bank: 'text null',
  created: 'bigint default',
  createdAmount: 'bigint default',
  approved: 'bigint default',
  approvedAmount: 'bigint default',
  feeAmount: 'bigint default',
  received: 'bigint default',
  refundedAmount: 'bigint default',
  givenBack: 'bigint default',
} as const;

const tables: Tables = {
  totalChanges: totals,
  dailyTotals: totals,
  stores: {
    id: 'uuid',
    name: 'text',
    active: 'boolean default',
    feePpm: 'integer null',
    feeFixed: 'integer null',
    maxAmount: 'integer',
    reviewAbove: 'integer null',
    banks: 'ARRAY null',
    webhookSecret: 'text',
    previousWebhookSecret: 'text null',
    previousWebhookSecretUntil: 'timestamptz null',
    createdAt: 'timestamptz',
  },
  tokens: {
    id: 'uuid',
    storeId: 'uuid',
    hash: 'bytea',
    createdAt: 'timestamptz',
    expiresAt: 'timestamptz null',
    deactivatedAt: 'timestamptz null',
    supersededAt: 'timestamptz null',
    lastUsedAt: 'timestamptz null',
  },
  payments: {
    id: 'uuid',
    storeId: 'uuid',
    status: 'text',
    charged: 'bigint',
    amount: 'bigint',
    feeAmount: 'bigint null',
    liquidValue: 'bigint null',
    feePpm: 'integer null',
    feeFixed: 'integer null',
    observation: 'text null',
    email: 'text null',
    searchText: 'text null',
    webhookUrl: 'text null',
    isPublic: 'boolean',
    bank: 'text null',
    copyAndPaste: 'text null',
    reference: 'text null',
    expiresIn: 'integer null',
    chargeState: 'text',
    chargeTryAt: 'timestamptz null',
    chargeTries: 'integer default',
    registeredAt: 'timestamptz null',
    expiresAt: 'timestamptz',
    expiryCheckAt: 'timestamptz',
    reviewSince: 'timestamptz null',
    reviewTimedOutAt: 'timestamptz null',
    approvedAt: 'timestamptz null',
    received: 'bigint null',
    events: 'integer',
    requestId: 'text null',
    createdAt: 'timestamptz',
  },
  events: {
    id: 'uuid',
    paymentId: 'uuid',
    storeId: 'uuid',
    sequence: 'integer',
    type: 'text',
    status: 'text',
    previousStatus: 'text null',
    payload: 'json',
    actor: 'text',
    reason: 'text null',
    requestId: 'text null',
    traceParent: 'text null',
    occurredAt: 'timestamptz',
  },
  outbox: { eventId: 'uuid', createdAt: 'timestamptz default' },
  dispatchers: { id: 'uuid', leasedUntil: 'timestamptz' },
  deliveries: {
    id: 'uuid',
    paymentId: 'uuid',
    storeId: 'uuid',
    sequence: 'integer',
    url: 'text',
    endpoint: 'uuid',
    state: 'text',
    attempts: 'integer default',
    attemptsBeforeRedrive: 'integer default',
    attempted: 'boolean default',
    nextAttemptAt: 'timestamptz null',
    claimedBy: 'uuid null',
    claimedAt: 'timestamptz null',
    attemptLog: 'jsonb default',
    requestId: 'text null',
    createdAt: 'timestamptz',
  },
  paymentCounts: {
    storeId: 'uuid',
    status: 'text',
    shard: 'integer',
    payments: 'bigint',
  },
  failingEndpoints: {
    id: 'uuid',
    storeId: 'uuid',
    url: 'text',
    failures: 'integer',
    openings: 'integer',
    failingSince: 'timestamptz',
    openUntil: 'timestamptz null',
    lastError: 'text null',
  },
  pixReceived: {
    endToEndId: 'text',
    bank: 'text',
    paymentId: 'uuid null',
    amount: 'bigint',
    effect: 'text',
    paidAt: 'timestamptz',
    receivedAt: 'timestamptz',
    txid: 'text null',
    unmatched: 'text null',
  },
  refunds: {
    id: 'text',
    endToEndId: 'text',
    bank: 'text',
    paymentId: 'uuid null',
    amount: 'bigint',
    wanted: 'bigint',
    origin: 'text',
    reason: 'text',
    note: 'text null',
    state: 'text',
    rtrId: 'text null',
    tries: 'integer default',
    tryAt: 'timestamptz null',
    lastError: 'text null',
    replaces: 'text null',
    ordinal: 'integer null',
    reorders: 'integer default',
    orderAgainAt: 'timestamptz null',
    owed: 'bigint null',
    madeAt: 'timestamptz null',
    givenBack: 'bigint null',
    idempotencyKey: 'text null',
    requestHash: 'bytea null',
    createdAt: 'timestamptz',
    updatedAt: 'timestamptz',
  },
  idempotencyKeys: {
    storeId: 'uuid',
    key: 'text',
    requestHash: 'bytea',
    paymentId: 'uuid',
    createdAt: 'timestamptz',
  },
  chargeProblems: {
    bank: 'text',
    endToEndIds: 'ARRAY default',
    txid: 'text',
    work: 'text',
    paymentId: 'uuid null',
    error: 'text',
    tries: 'integer default',
    since: 'timestamptz',
    tryAt: 'timestamptz null',
  },
  reconciliations: {
    bank: 'text',
    day: 'text',
    checkedAt: 'timestamptz',
    differences: 'integer',
    result: 'json',
  },
  unheardCharges: {
    paymentId: 'uuid',
    bank: 'text',
    askedAt: 'timestamptz',
    tryAt: 'timestamptz',
    tries: 'integer default',
  },
  banks: {
    id: 'text',
    psp: 'text',
    knownSince: 'timestamptz',
    failingSince: 'timestamptz null',
    failingUntil: 'timestamptz null',
    lastError: 'text null',
    pausedSince: 'timestamptz null',
    pausedReason: 'text null',
    resumedAt: 'timestamptz null',
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
    storeId: 'uuid null',
    hash: 'bytea',
    createdAt: 'timestamptz',
    expiresAt: 'timestamptz null',
    lastUsedAt: 'timestamptz null',
    deletedAt: 'timestamptz null',
  },
  erasures: {
    id: 'uuid',
    email: 'text null',
    paymentIds: 'ARRAY',
    requestedAt: 'timestamptz',
    finishedAt: 'timestamptz null',
  },
  accounts: {
    id: 'uuid',
    name: 'text',
    email: 'text',
    role: 'text',
    storeId: 'uuid null',
    active: 'boolean default',
    password: 'text null',
    invitationHash: 'bytea null',
    invitationUntil: 'timestamptz null',
    totpSecret: 'bytea null',
    totpStep: 'bigint null',
    issuer: 'text null',
    subject: 'text null',
    createdAt: 'timestamptz',
  },
  passkeys: {
    id: 'text',
    accountId: 'uuid',
    publicKey: 'bytea',
    counter: 'bigint',
    name: 'text',
    challengeAt: 'timestamptz null',
    createdAt: 'timestamptz',
    lastUsedAt: 'timestamptz null',
  },
  recoveryCodes: { accountId: 'uuid', hash: 'bytea' },
  sessions: {
    hash: 'bytea',
    id: 'uuid',
    accountId: 'uuid null',
    name: 'text null',
    complete: 'boolean',
    address: 'text',
    browser: 'text null',
    createdAt: 'timestamptz',
    lastUsedAt: 'timestamptz',
    expiresAt: 'timestamptz',
  },
  signInFailures: { key: 'bytea', count: 'integer', lastAt: 'timestamptz' },
  knownPlaces: { key: 'bytea', seenAt: 'timestamptz' },
  changes: {
    id: 'bigint',
    action: 'text',
    storeId: 'uuid null',
    paymentId: 'uuid null',
    subject: 'text null',
    eventId: 'uuid null',
    before: 'json null',
    after: 'json null',
    author: 'text null',
    authorId: 'uuid null',
    via: 'text',
    reason: 'text null',
    requestId: 'text null',
    occurredAt: 'timestamptz',
  },
};

t.test('the table types match the migrated database', async (t) => {
  const { db } = await openDatabase(t);
  const { rows } = await sql<{ tableName: string; columnName: string; described: string }>`
    select table_name, column_name, replace(data_type, 'timestamp with time zone', 'timestamptz')
      || case when column_default is not null then ' default' when is_nullable = 'YES' then ' null' else '' end
      as described
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'kysely%'`.execute(
    db,
  );
  const found: Record<string, Record<string, string>> = {};
  for (const { tableName, columnName, described } of rows) {
    found[camelCase(tableName)] ??= {};
    found[camelCase(tableName)]![camelCase(columnName)] = described;
  }
  t.strictSame(found, tables);
});

const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
