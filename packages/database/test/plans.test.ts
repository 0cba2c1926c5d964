import { newId } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import t from 'tap';
import { claimDueCharges, claimExpired } from '../src/charges/charges.ts';
import { findUnknownPix, listPixReceived } from '../src/charges/pix-received.ts';
import {
  claimChargesSetAside,
  findChargesSetAside,
  listChargeProblems,
  listChargeProblemsOf,
} from '../src/charges/problems.ts';
import { listUnmatchedOf, listUnmatchedPix } from '../src/charges/unmatched-pix.ts';
import type { Database } from '../src/connection.ts';
import { readDue, readDueByEndpoint } from '../src/deliveries/due.ts';
import { listDeliveries } from '../src/deliveries/list.ts';
import { sweepOutbox } from '../src/events/outbox.ts';
import { readBacklog } from '../src/operations/backlog.ts';
import { listChanges } from '../src/operations/changes.ts';
import { listHistory } from '../src/payments/history.ts';
import { forgetIdempotencyKeys } from '../src/payments/idempotency-keys.ts';
import { listPlaces } from '../src/payments/list-places.ts';
import { listPayments } from '../src/payments/pages.ts';
import { findPayment } from '../src/payments/payments.ts';
import { findOverdueReviews, listReviews } from '../src/payments/reviews.ts';
import { searchPayments } from '../src/payments/search.ts';
import { claimDueRefunds } from '../src/refunds/claims.ts';
import { countRefundsOwed, listRefundsNotMade } from '../src/refunds/not-made.ts';
import {
  findRefundByKey,
  findRefundsToOrderAgain,
  listRefunds,
  listRefundsOfPix,
} from '../src/refunds/refunds.ts';
import { tokenReader } from '../src/stores/authentication.ts';
import { openDatabase } from './rows.ts';

/** Twenty stores with five hundred payments each, most of them done with; a little of everything is due. */
const crowd = [
  `insert into stores (id, name, max_amount, webhook_secret, created_at)
    select gen_random_uuid(), 'Loja ' || n, 300000, 'whsec_x', now() from generate_series(1, 20) n`,
  `insert into tokens (id, store_id, hash, created_at, superseded_at)
    select gen_random_uuid(), s.id, sha256((s.id || n::text)::bytea), now(), case when n > 1 then now() end
    from stores s, generate_series(1, 100) n`,
  `insert into payments (id, store_id, status, charged, amount, is_public, webhook_url, copy_and_paste, charge_state,
      charge_try_at, expires_at, expiry_check_at, review_since, events, created_at)
    select gen_random_uuid(), s.id, case when n % 250 = 0 then 'review' when n % 100 = 0 then 'pending'
        when n % 10 = 1 then 'not_approved' else 'approved' end,
      1000, 1000, true, 'https://store.example.com/', 'code', 'closed', case when n % 250 = 1 then now() end, now(),
      now(), case when n % 250 = 0 then now() - interval '1 hour' end, 1, now()
    from stores s, generate_series(1, 500) n`,
  `update payments set email = id || '@example.com'`,
  `insert into payment_counts select store_id, status, 0, count(*) from payments group by 1, 2`,
  `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), id, store_id, 1, 'payment.created', status, '{}', 'store', now() - interval '1 hour'
    from payments`,
  'insert into outbox select id from events where random() < 0.005',
  `insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
    select id, payment_id, store_id, 1, 'https://store.example.com/',
      endpoint_of(store_id, 'https://store.example.com/'), case when due then 'pending' else 'delivered' end,
      case when due then now() end, now()
    from (select *, random() < 0.005 as due from events where random() < 0.9) e`,
  `insert into pix_received (end_to_end_id, payment_id, amount, effect, paid_at, received_at)
    select 'E' || id, id, 1000, 'approved', now(), now() from payments where status <> 'pending'`,
  `insert into refunds (id, end_to_end_id, payment_id, amount, wanted, origin, reason, state, try_at, ordinal,
      idempotency_key, request_hash, created_at, updated_at)
    select 'R', end_to_end_id, payment_id, 1000, 1000, origin, 'late', 'refunded',
      case when random() < 0.005 then now() end, case when origin = 'service' then 1 end, 'a key', '', at, at
    from (select *, case when random() < 0.1 then 'bank' else 'service' end as origin,
        now() - random() * interval '100 days' as at from pix_received) p
    where payment_id not in (select id from payments where status = 'review')`,
  `insert into pix_received (end_to_end_id, amount, effect, paid_at, received_at, txid, unmatched)
    select 'U' || n, 1000, 'unmatched', now(), now() - n * interval '1 minute', 'T' || n,
      case when n % 100 = 0 then 'no_payment' else 'returned' end
    from generate_series(1, 10000) n`,
  `insert into charge_problems (txid, work, payment_id, error, since, try_at)
    select replace(id::text, '-', ''), work, id, 'refused', now() - interval '1 hour' * random(),
      case when work = 'settle' then now() + (random() - 0.005) * interval '1 hour' end
    from (select id, (array['settle', 'expire', 'cancel'])[1 + floor(random() * 3)::int] as work from payments) p`,
  `insert into idempotency_keys (store_id, key, request_hash, payment_id, created_at)
    select id, 'key ' || n, '', gen_random_uuid(), now() - n * interval '1 minute'
    from stores, generate_series(1, 1450) n`,
  `insert into changes (action, store_id, payment_id, event_id, via, occurred_at)
    select 'payment.status_changed', store_id, case when n % 3 > 0 then payment_id end, id, 'api', now()
    from (select *, row_number() over () as n from events) e`,
  `update refunds set state = 'failed' where random() < 0.004`,
  `update refunds set owed = 1000 where state = 'failed' and random() < 0.5`,
  `update refunds set order_again_at = now() where state = 'failed' and owed is null`,
  'analyze',
];

type Counts = { indexes: Map<string, number>; wholeTables: Map<string, number> };

async function counts(db: Database): Promise<Counts> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const indexes = await sql<{ name: string; scans: number }>`
    select indexrelname as name, idx_scan as scans from pg_stat_user_indexes`.execute(db);
  const tables = await sql<{ name: string; scans: number }>`
    select relname as name, seq_scan as scans from pg_stat_user_tables`.execute(db);
  const asMap = (rows: { name: string; scans: number }[]) =>
    new Map(rows.map(({ name, scans }) => [name, scans]));
  return { indexes: asMap(indexes.rows), wholeTables: asMap(tables.rows) };
}

const changed = (before: Map<string, number>, after: Map<string, number>) =>
  [...after].filter(([name, scans]) => scans > (before.get(name) ?? 0)).map(([name]) => name);

// Small tables that a plan may as well read whole.
const small = new Set(['outbox', 'stores', 'failing_endpoints', 'cursors', 'tokens', 'payment_counts']);

t.test('every scan and every hot read finds its rows by an index', async (t) => {
  // One connection: its statistics are what is compared.
  const { db } = await openDatabase(t, 1);
  for (const statement of crowd) await sql.raw(statement).execute(db);
  const now = new Date();
  const longAgo = new Date(0);
  const { id: storeId } = await db.selectFrom('stores').select('id').executeTakeFirstOrThrow();
  const { payment_id: paymentId } = await db
    .selectFrom('events')
    .select('payment_id')
    .executeTakeFirstOrThrow();
  const endToEndId = `E${paymentId}`;
  const txid = paymentId.replaceAll('-', '');
  const { hash: known } = await db.selectFrom('tokens').select('hash').executeTakeFirstOrThrow();
  const page = { page: 1, limit: 50 };
  const lists = { db, places: listPlaces(() => now) };
  const lease = { limit: 10, leaseMs: 60_000, now };
  const endpoints = { after: null, endpoints: 10, perEndpoint: 4 };

  const backlog = () => readBacklog(db, { timeoutMs: 2_000, parkedAfterMs: 1, now });

  const reads: [string, string, () => Promise<unknown>][] = [
    ['charges to register or withdraw', 'payments_charge_due', () => claimDueCharges(db, lease)],
    ['charges that expired', 'payments_to_expire', () => claimExpired(db, lease)],
    [
      'reviews that are overdue',
      'payments_review_due',
      () => findOverdueReviews(db, { since: now, after: undefined, limit: 10 }),
    ],
    ['what waits: events', 'outbox_pkey', backlog],
    ['what waits: deliveries', 'deliveries_due', backlog],
    ['what waits: reviews', 'payments_in_review_order', backlog],
    ['what waits: refunds', 'refunds_not_made', backlog],
    ['what waits: refunds that are owed', 'refunds_owed', backlog],
    ['what waits: refunds to order anew', 'refunds_to_order_again', backlog],
    ['what waits: returns of the bank', 'refunds_of_bank', backlog],
    ['what waits: Pix that fit no payment', 'pix_unmatched', backlog],
    ['what waits: charges on which work fails', 'charge_problems_in_order', backlog],
    ['refunds to make', 'refunds_due', () => claimDueRefunds(db, lease)],
    ['refunds of one payment', 'refunds_by_payment', () => claimDueRefunds(db, { ...lease, paymentId })],
    ['events to publish', 'outbox_pkey', () => sweepOutbox(db, { before: now, limit: 10 }, async () => [])],
    ['deliveries that are due', 'deliveries_due', () => readDue(db, 10)],
    ['what is due by endpoint', 'deliveries_due_by_endpoint', () => readDueByEndpoint(db, endpoints)],
    ['keys to forget', 'idempotency_keys_by_age', () => forgetIdempotencyKeys(db, now, 10)],
    ['a token', 'tokens_hash_key', () => tokenReader(db).findToken(Buffer.alloc(32))],
    ['a token and a payment', 'payments_pkey', () => tokenReader(db).findTokenAndPayment(known, paymentId)],
    ['a payment', 'payments_pkey', () => findPayment(db, newId())],
    ['a store’s payments', 'payments_by_store', () => listPayments(lists, { storeId }, page)],
    [
      'a store’s payments of one status',
      'payments_by_store_and_status',
      () => listPayments(lists, { storeId, status: 'not_approved' }, page),
    ],
    ['all payments', 'payments_pkey', () => listPayments(lists, {}, page)],
    [
      'payments of one status',
      'payments_by_status',
      () => listPayments(lists, { status: 'not_approved' }, page),
    ],
    ['payments of a time', 'payments_pkey', () => searchPayments(lists, { until: longAgo }, page)],
    [
      'a customer’s payments',
      'payments_by_email',
      () => searchPayments(lists, { q: 'ana@example.com' }, page),
    ],
    ['a Pix’s payment', 'pix_received_pkey', () => searchPayments(lists, { q: `E${'0'.repeat(31)}` }, page)],
    ['reviews that wait', 'payments_in_review_order', () => listReviews(db, {}, page)],
    [
      'a payment’s deliveries',
      'events_payment_id_sequence_key',
      () => listDeliveries(db, { paymentId }, page),
    ],
    ['a payment’s history', 'events_payment_id_sequence_key', () => listHistory(db, paymentId)],
    ['a payment’s changes', 'changes_by_payment', () => listChanges(db, { paymentId }, page)],
    ['a store’s changes', 'changes_by_store', () => listChanges(db, { storeId }, page)],
    ['a payment’s Pix', 'pix_received_by_payment', () => listPixReceived(db, paymentId)],
    [
      'Pix that are not known',
      'pix_received_pkey',
      () =>
        findUnknownPix(db, [
          { endToEndId, paymentId },
          { endToEndId: 'E2', paymentId: null },
        ]),
    ],
    ['refunds to order anew', 'refunds_to_order_again', () => findRefundsToOrderAgain(db, lease)],
    ['refunds that are owed', 'refunds_owed', () => countRefundsOwed(db)],
    ['refunds that wait for a person', 'refunds_owed', () => listRefundsNotMade(db, { isOwed: true }, page)],
    ['refunds that are not made', 'refunds_not_made', () => listRefundsNotMade(db, {}, page)],
    ['refunds of a Pix', 'refunds_pkey', () => listRefundsOfPix(db, endToEndId)],
    ['a refund by its key', 'refunds_by_key', () => findRefundByKey(db, paymentId, 'a key')],
    ['charges set aside that are due', 'charge_problems_due', () => claimChargesSetAside(db, lease)],
    ['charges set aside', 'charge_problems_pkey', () => findChargesSetAside(db, [txid, 'T1'])],
    ['what fails of charges', 'charge_problems_in_order', () => listChargeProblems(db, page)],
    [
      'what fails of a payment’s charge',
      'charge_problems_by_payment',
      () => listChargeProblemsOf(db, paymentId),
    ],
    ['Pix that fit no payment', 'pix_unmatched', () => listUnmatchedPix(db, page)],
    ['a charge’s Pix that fit no payment', 'pix_unmatched_by_charge', () => listUnmatchedOf(db, 'T100')],
    ['a payment’s refunds', 'refunds_by_payment', () => listRefunds(db, paymentId)],
  ];

  for (const [what, index, read] of reads) {
    const before = await counts(db);
    // A prepared statement may change to a generic plan at its sixth run.
    for (let run = 0; run < 8; run += 1) await read();
    const after = await counts(db);
    t.ok(changed(before.indexes, after.indexes).includes(index), `${what}: ${index}`);
    const whole = changed(before.wholeTables, after.wholeTables).filter((name) => !small.has(name));
    t.same(whole, [], `${what}: no table is read whole`);
  }
});

t.test(
  'what is not due yet costs a claim nothing, where a plan was made while nothing was pending',
  async (t) => {
    const { db } = await openDatabase(t, 1);
    for (const statement of crowd) await sql.raw(statement).execute(db);
    await sql`update deliveries set state = 'delivered', next_attempt_at = null`.execute(db);
    await sql`vacuum analyze deliveries`.execute(db);
    const claim = async () => {
      await readDue(db, 10);
    };
    for (let run = 0; run < 8; run += 1) await claim();
    // Statistics know nothing of it: a thousand events whose receivers fail, to be tried again in an hour.
    await sql`
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
    select id, payment_id, store_id, 1, '', endpoint_of(store_id, ''), 'pending', now() + interval '1 hour', now()
    from events where id not in (select id from deliveries) limit 1000`.execute(db);
    const entriesRead = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db);
      const { rows } = await sql<{ entries: number }>`
      select sum(idx_tup_read)::int as entries from pg_stat_user_indexes where relname = 'deliveries'`.execute(
        db,
      );
      return rows[0]!.entries;
    };
    const before = await entriesRead();
    await claim();
    t.equal((await entriesRead()) - before, 0);
  },
);
