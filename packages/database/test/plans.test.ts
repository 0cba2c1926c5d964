import { randomUUID } from 'node:crypto';
import { dayOf } from '@payments/domain/days';
import { txidOf } from '@payments/domain/identifiers';
import { eventually } from '@payments/testing/patience';
import { sql } from 'kysely';
import t from 'tap';
import { forgetFailures } from '../src/accounts/sign-in-attempts.ts';
import { readBankWaits } from '../src/banks/bank-work.ts';
import { claimCancelled, claimExpired, claimUnregistered } from '../src/charges/charges.ts';
import { findPix, listPixReceived } from '../src/charges/pix-received.ts';
import { claimChargesSetAside, listChargeProblemsOf } from '../src/charges/problems.ts';
import { claimUnheard } from '../src/charges/unheard-charges.ts';
import { listUnmatchedOf, listUnmatchedPix } from '../src/charges/unmatched-pix.ts';
import type { Database, Queryable } from '../src/connection.ts';
import { claimDeliveries } from '../src/deliveries/claim.ts';
import { readDue, readDueByStore } from '../src/deliveries/due.ts';
import { renewLease } from '../src/deliveries/leases.ts';
import {
  findDelivery,
  listDeliveries,
  readAttempts,
  readContents,
  readDeliveriesAfter,
} from '../src/deliveries/list.ts';
import { forgetIdleEndpoints, removeOldDeliveries } from '../src/deliveries/retention.ts';
import { findPaymentsOf } from '../src/erasure/personal-data.ts';
import { feedStart, findFeedPlace, findKnownEvents, readFeed } from '../src/events/feed.ts';
import { sweepOutbox } from '../src/events/outbox.ts';
import { findUntoldEndpoints, markTold } from '../src/notices/conditions.ts';
import { claimMails, claimPosts } from '../src/notices/mails.ts';
import { removeOldNotices } from '../src/notices/retention.ts';
import { listHistory } from '../src/payments/history.ts';
import { forgetIdempotencyKeys } from '../src/payments/idempotency-keys.ts';
import { listPayments } from '../src/payments/list.ts';
import { findForPayer, readPayersMoney } from '../src/payments/payer-pages.ts';
import { findByReference, findPayment, findPayments, lockPayment } from '../src/payments/payments.ts';
import { findOverdueReviews, listReviews } from '../src/payments/reviews.ts';
import { readPaymentsAfter, searchPayments } from '../src/payments/search.ts';
import { findPaymentsWithPix } from '../src/payments/with-pix.ts';
import { findOurDays } from '../src/reconciliation/checked-days.ts';
import { claimDueRefunds, setGivenBack } from '../src/refunds/claims.ts';
import { listRefundsFound, readRefundsAfter, sumRefundsFound } from '../src/refunds/list.ts';
import { sumOrderedByTokens } from '../src/refunds/orders.ts';
import { findRefundsToOrderAgain, listRefunds, listRefundsOfPix } from '../src/refunds/refunds.ts';
import { findToken, findTokenAndPayment } from '../src/stores/authentication.ts';
import { openDatabase, setAmount } from './rows.ts';

/** Ten stores with two thousand payments each. */
const sales = [
  `insert into stores (id, name, max_amount, webhook_secret, created_at)
    select gen_random_uuid(), 'Loja ' || n, 300000, 'whsec_x', now() from generate_series(1, 10) n`,
  `insert into tokens (id, store_id, hash, created_at, superseded_at)
    select gen_random_uuid(), s.id, sha256((s.id || n::text)::bytea), now(), case when n > 1 then now() end
    from stores s, generate_series(1, 500) n`,
  `insert into payments (id, store_id, status, charged, amount, is_public, bank, copy_and_paste, charge_state,
      charge_try_at, expires_at, expiry_check_at, review_since, approved_at, received, email, events,
      created_at)
    select gen_random_uuid(), s.id, (array['pending', 'review', 'not_approved'])[1 + n % 3], 1000, 1000, true,
      case when n % 20 <> 0 then 'default' end, 'code',
      case when n % 20 = 0 then 'unregistered' when n % 10 = 0 then 'cancelling' else 'closed' end,
      case when n % 10 = 0 then now() end, now(), now(), case when n % 3 = 1 then now() - interval '1 hour' end,
      '2026-01-05T12:30:00Z', 1000, n || '@example.com', 1, now()
    from stores s, generate_series(1, 2000) n`,
  `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), id, store_id, 1, 'payment.created', status, '{}', 'store', now() from payments`,
];

/** A tenth of everything that can be due is due: far more than any limit. */
const crowd = [
  ...sales,
  `insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
    select id, payment_id, store_id, 1, '', md5((n % 50)::text)::uuid, case when n % 10 = 0 then 'pending' else 'delivered' end,
      case when n % 10 = 0 then now() end, now()
    from (select *, row_number() over () as n from events) e`,
  `insert into pix_received (end_to_end_id, bank, payment_id, amount, effect, paid_at, received_at)
    select 'E' || id, 'default', id, 1000, 'approved', now(), now() from payments`,
  `insert into pix_received (end_to_end_id, bank, amount, effect, paid_at, received_at, unmatched)
    select 'U' || n, 'default', 1000, 'unmatched', now(), now(), case when n % 10 = 0 then 'no_payment' else 'returned' end
    from generate_series(1, 10000) n`,
  `insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, try_at, order_again_at,
      order_again_amount, created_at, updated_at)
    select 'R', end_to_end_id, bank, payment_id, 1000, 1000, 'bank', 'late', 'failed', case when n % 10 = 0 then now() end,
      case when n % 10 = 1 then now() end, case when n % 10 = 1 then 1000 end, now(), now()
    from (select *, row_number() over () as n from pix_received where payment_id is not null) p`,
  `insert into charge_problems (bank, txid, work, payment_id, error, since, try_at)
    select 'default', replace(id::text, '-', ''), 'settle', id, '{"code": "refused"}', now(), case when charge_try_at is not null then now() end
    from payments`,
  `insert into unheard_charges (payment_id, bank, asked_at, try_at)
    select gen_random_uuid(), 'default', now(), now() + n % 100 * interval '1 minute' from generate_series(0, 20000) n`,
  `insert into idempotency_keys (store_id, key, request_hash, payment_id, created_at)
    select id, 'key ' || n, '', gen_random_uuid(), now() - n * interval '1 minute'
    from stores, generate_series(1, 2000) n`,
  'insert into outbox (event_id) select id from events',
  `insert into accounts (id, name, email, role, active, created_at)
    select gen_random_uuid(), 'Ana', n || '@example.com', 'owner', true, now() from generate_series(1, 200) n`,
  // The first person has far more mails than all others. Posts to the webhook have no person, and fall due behind them.
  `insert into mails (id, kind, account_id, recipient, state, next_attempt_at, closed, created_at)
    select gen_random_uuid(), 'access_changed', case when k < 3 then a.id end, '', case when k = 2 then 'sent' else 'pending' end,
      case when k <> 2 then now() + k * interval '1 second' end, true, now()
    from (select id, row_number() over (order by id) as place from accounts) a,
      generate_series(1, case when place = 1 then 5000 else 10 end) n, generate_series(1, 3) k`,
  // As autovacuum does: the planner counts what the index has not sorted in yet.
  `select gin_clean_pending_list('payments_by_text')`,
  'analyze',
];

/** @returns how many index entries and rows of table scans this connection has read */
async function read(db: Database): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ read: number }>`
    select (select sum(idx_tup_read) from pg_stat_user_indexes)::int
      + (select sum(seq_tup_read) from pg_stat_user_tables where relname not in ('stores', 'payment_counts'))::int
      as read`.execute(db);
  return rows[0]!.read;
}

/** @returns what each of three runs read. PostgreSQL may count an earlier statement's reads late, within one of these. */
async function readsOf(db: Database, run: () => Promise<unknown>): Promise<number[]> {
  const counts: number[] = [];
  for (let times = 0; times < 3; times += 1) {
    const before = await read(db);
    await run();
    counts.push((await read(db)) - before);
  }
  return counts;
}

/** In which every payment was approved. */
const hour = { since: new Date('2026-01-05T12:00:00Z'), until: new Date('2026-01-05T13:00:00Z') };

async function setSame(trx: Queryable, id: string): Promise<void> {
  const payment = await lockPayment(trx, id);
  if (payment) await setAmount(trx, payment, payment.amount);
}

t.test('a statement reads in proportion to its limit, whatever the size of the tables', async (t) => {
  // One connection, since the test reads that connection's statistics.
  const { db } = await openDatabase(t, { poolSize: 1 });
  const now = new Date(Date.now() + 60_000);
  const longAgo = new Date(0);
  const limit = 10;
  const page = { page: 1, limit };
  const lease = { limit, leaseMs: 3_600_000, now };
  const atBank = { ...lease, bank: 'default' };
  const claim = { dispatcherId: randomUUID(), probeMs: 1_000 };
  await renewLease(db, claim.dispatcherId, 60_000);
  let after: string | null = null;
  const claimNextMails = async () => {
    const mails = await claimMails(db, { ...lease, after });
    const people = mails.map(({ accountId }) => accountId);
    after = people.sort().at(-1) ?? null;
  };
  const of = { storeId: '', paymentId: '', hash: Buffer.alloc(32) };
  const statements: [string, () => Promise<unknown>][] = [
    ['a token', () => findToken(db, of.hash)],
    ['a token and a payment', () => findTokenAndPayment(db, of)],
    ['a payment', () => findPayment(db, of.paymentId)],
    ['a store’s payments', () => listPayments(db, { storeId: of.storeId }, page)],
    ['of one status', () => listPayments(db, { storeId: of.storeId, status: 'pending' }, page)],
    ['behind one', () => listPayments(db, { storeId: of.storeId, after: of.paymentId }, page)],
    ['by reference', () => listPayments(db, { storeId: of.storeId, reference: '7' }, page)],
    ['of a day to come', () => listPayments(db, { storeId: of.storeId, since: now }, page)],
    ['created in an hour', () => listPayments(db, { storeId: of.storeId, ...hour }, page)],
    ['all payments', () => listPayments(db, {}, page)],
    ['all of one status', () => listPayments(db, { status: 'pending' }, page)],
    ['payments of a time', () => searchPayments(db, { until: longAgo }, page)],
    ['deliveries of a time', () => listDeliveries(db, { until: longAgo }, page)],
    ['refunds of a time', () => readRefundsAfter(db, { until: longAgo }, { after: undefined, limit })],
    ['refunds not made of a time', () => listRefundsFound(db, { isNotMade: true, until: longAgo }, page)],
    ['their sum', () => sumRefundsFound(db, { isNotMade: true, until: longAgo })],
    ['a customer’s payments', () => searchPayments(db, { q: '1997@EXAMPLE' }, page)],
    ['due deliveries', () => readDue(db, limit)],
    [
      'due deliveries by store',
      () =>
        readDueByStore(db, {
          after: null,
          endpointsAfter: new Map([[of.storeId, of.paymentId]]),
          except: [of.paymentId],
          stores: limit,
          endpoints: limit,
          perEndpoint: 1,
        }),
    ],
    [
      'a claim of deliveries',
      async () => claimDeliveries(db, { ...claim, deliveries: await readDue(db, limit) }),
    ],
    ['the begin of a feed', () => readFeed(db, { storeId: of.storeId, after: feedStart, limit })],
    [
      'a page of a feed',
      () => readFeed(db, { storeId: of.storeId, after: { ...feedStart, place: '1' }, limit }),
    ],
    [
      'a feed of refunds',
      () => readFeed(db, { storeId: of.storeId, after: feedStart, type: 'refund.updated', limit }),
    ],
    ['a feed from a moment', () => findFeedPlace(db, of.storeId, now)],
    ['a payment’s history', () => listHistory(db, of.paymentId)],
    ['reviews', () => listReviews(db, {}, page)],
    ['overdue reviews', () => findOverdueReviews(db, { since: now, after: undefined, limit })],
    ['charges to register', () => claimUnregistered(db, atBank)],
    ['charges to withdraw', () => claimCancelled(db, atBank)],
    ['charges taken unheard', () => claimUnheard(db, atBank)],
    ['charges that expired', () => claimExpired(db, atBank)],
    ['charges set aside', () => claimChargesSetAside(db, atBank)],
    ['refunds to make', () => claimDueRefunds(db, atBank)],
    ['a payment’s refunds to make', () => claimDueRefunds(db, { ...atBank, paymentId: of.paymentId })],
    ['refunds to order anew', () => findRefundsToOrderAgain(db, lease)],
    ['an amount, with its totals', () => db.transaction().execute((trx) => setSame(trx, of.paymentId))],
    ['a return, with its totals', () => setGivenBack(db, { endToEndId: `E${of.paymentId}`, id: 'R' }, 1)],
    ['known Pix', () => findPix(db, ['E1'])],
    ['known Pix, and a charge’s', () => findPix(db, ['E1'], [txidOf(of.paymentId)])],
    ['keys to forget', () => forgetIdempotencyKeys(db, now, limit)],
    ['failed sign-ins to forget', () => forgetFailures(db, { now, limit })],
    ['what a payer sees', () => findForPayer(db, of.paymentId)],
    ['what a payer sent', () => readPayersMoney(db, of.paymentId)],
    ['a reference', () => findByReference(db, of.storeId, '7')],
    ['a payment’s Pix', () => listPixReceived(db, of.paymentId)],
    ['a payment’s refunds', () => listRefunds(db, of.paymentId)],
    ['payments with their Pix', () => findPaymentsWithPix(db, [of.paymentId])],
    ['what a store’s tokens refunded', () => sumOrderedByTokens(db, of.storeId, { since: now, until: now })],
    ['a payment’s deliveries', () => listDeliveries(db, { paymentId: of.paymentId }, page)],
    ['a payment’s webhooks', () => readContents(db, of.paymentId)],
    ['a delivery', () => findDelivery(db, of.paymentId)],
    ['its attempts', () => readAttempts(db, [of.paymentId])],
    ['a person’s payments', () => findPaymentsOf(db, '1997@example.com')],
    ['payments to export', () => readPaymentsAfter(db, {}, { after: undefined, limit })],
    ['deliveries to export', () => readDeliveriesAfter(db, {}, { after: undefined, limit })],
    ['payments of deliveries', () => findPayments(db, [of.paymentId])],
    ['known events', () => findKnownEvents(db, [of.paymentId])],
    ['days of ours', () => findOurDays(db, 'default', ['2001-01-01', dayOf(now)])],
    ['refunds of Pix', () => listRefundsOfPix(db, ['E1'])],
    ['unmatched Pix of a charge', () => listUnmatchedOf(db, 'default', of.paymentId)],
    ['problems of charges', () => listChargeProblemsOf(db, of.paymentId)],
    ['events to publish', () => sweepOutbox(db, { before: now, limit }, async () => [])],
    ['endpoints to forget', () => forgetIdleEndpoints(db, { before: now, limit })],
    ['mails to send', claimNextMails],
    ['notices to post', () => claimPosts(db, lease)],
    ['deliveries to delete', () => removeOldDeliveries(db, { before: now, limit })],
  ];
  // A prepared statement may switch to a generic plan at its sixth run. These plans are made for empty tables.
  const ids = await sql<{ id: string }>`select gen_random_uuid() as id`.execute(db);
  Object.assign(of, { storeId: ids.rows[0]?.id, paymentId: ids.rows[0]?.id });
  for (const [, run] of statements) for (let times = 0; times < 8; times += 1) await run();

  for (const statement of crowd) await sql.raw(statement).execute(db);
  const one = await db.selectFrom('payments').select(['id', 'storeId']).executeTakeFirstOrThrow();
  const { hash } = await db.selectFrom('tokens').select('hash').executeTakeFirstOrThrow();
  Object.assign(of, { storeId: one.storeId, paymentId: one.id, hash });
  for (const [what, run] of statements) {
    for (let times = 0; times < 8; times += 1) await run();
    const counts = await readsOf(db, run);
    t.ok(Math.min(...counts) <= 15 * limit, `${what}: ${counts}`);
  }
  t.ok((await listUnmatchedPix(db, page)).total === 1_000);
});

t.test('a page of a feed passes over 20,000 events at most, and says how far it came', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const long = [
    ...sales,
    `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at, place)
      select gen_random_uuid(), payment_id, store_id, n,
        case n when 50000 then 'payment.status_changed' else 'payment.created' end, status, '{}', 'store',
        now() - case n when 50000 then interval '0' else interval '1 day' end, n
      from (select * from events limit 1) e, generate_series(2, 50000) n`,
    'analyze events',
  ];
  for (const statement of long) await sql.raw(statement).execute(db);
  const { storeId } = await db
    .selectFrom('events')
    .select('storeId')
    .where('sequence', '=', 50_000)
    .executeTakeFirstOrThrow();
  const yesterday = new Date(Date.now() - 3_600_000);
  for (const only of [{ type: 'payment.status_changed' as const }, { from: yesterday }]) {
    let after = feedStart;
    for (const found of [0, 0, 1]) {
      const before = await read(db);
      const page = await readFeed(db, { storeId, after, ...only, limit: 1 });
      const rows = (await read(db)) - before;
      t.ok(rows <= 20_100, `${rows} rows`);
      t.equal(page.events.length, found);
      t.notSame(page.reached, after);
      after = page.reached;
    }
  }
});

t.test('test charges whose bank is away stand before no other bank’s', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const loadTest = [
    ...sales,
    `insert into stores (id, name, max_amount, webhook_secret, created_at, test)
      values (gen_random_uuid(), 'Loja T', 300000, 'whsec_x', now(), true)`,
    `update payments set store_id = (select id from stores where test), test = true, bank = null,
      charge_state = 'unregistered', charge_try_at = now() - interval '1 hour'`,
    'vacuum analyze payments',
  ];
  for (const statement of loadTest) await sql.raw(statement).execute(db);
  const claim = async (bank: string) => {
    const before = await read(db);
    const claimed = await claimUnregistered(db, { bank, now: new Date(), limit: 10, leaseMs: 15_000 });
    return { claimed: claimed.length, rows: (await read(db)) - before };
  };
  t.match(await claim('default'), { claimed: 0, rows: 0 });
  t.match(await claim('test'), { claimed: 10 });
});

t.test('that a bank has open work is told by one payment, also while statistics know of few', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const rush = [
    ...sales,
    `create temp table rush as select id from payments where status = 'pending' offset 100`,
    `update payments set status = 'not_approved' where id in (select id from rush)`,
    'vacuum analyze payments',
    `update payments set status = 'pending' where id in (select id from rush)`,
    // Autovacuum makes no statistics of so small a table.
    `insert into banks (id, psp, known_since) values ('default', 'bacen', now())`,
  ];
  for (const statement of rush) await sql.raw(statement).execute(db);
  const before = await read(db);
  t.match(await readBankWaits(db, 5_000), [{ id: 'default', isOpen: true }]);
  const rows = (await read(db)) - before;
  t.ok(rows <= 15, `${rows} rows`);
});

t.test('so is a withdrawal that waits, where no payment is pending', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const cancelled = [
    ...sales,
    `update payments set status = 'not_approved', review_since = null, charge_state = 'cancelling', charge_try_at = now()
      where bank is not null`,
    'vacuum analyze payments',
    `insert into banks (id, psp, known_since) values ('default', 'bacen', now())`,
  ];
  for (const statement of cancelled) await sql.raw(statement).execute(db);
  const before = await read(db);
  t.match(await readBankWaits(db, 5_000), [{ id: 'default', isOpen: true }]);
  const rows = (await read(db)) - before;
  t.ok(rows <= 15, `${rows} rows`);
});

t.test('a look at stores passes over no delivered row while statistics tell of a backlog', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const backlog = [
    ...sales,
    `insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
      select id, payment_id, (select store_id from events limit 1), 1, '', md5((n % 8)::text)::uuid, 'pending',
        now() - interval '1 hour' + n * interval '1 ms', now() - interval '1 hour' + n * interval '1 ms'
      from (select *, row_number() over () as n from events) e`,
    'analyze',
    `update deliveries set state = 'delivered', next_attempt_at = null
      where id in (select id from deliveries order by next_attempt_at limit 7500)`,
  ];
  for (const statement of backlog) await sql.raw(statement).execute(db);
  const sizes = { stores: 10, endpoints: 10, perEndpoint: 1 };
  const look = async () => {
    const before = await read(db);
    const { due } = await readDueByStore(db, {
      ...sizes,
      after: null,
      endpointsAfter: new Map(),
      except: [],
    });
    t.equal(due.length, 8, 'one of each endpoint');
    return (await read(db)) - before;
  };
  // The index entries of the updated rows stay while an older transaction runs on this server, another test's too.
  await eventually('a look that reads at most 150 entries', async () => (await look()) <= 150 || undefined);
});

t.test('a receiver with a URL per order: a look and a removal read what they tell or delete', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  const limit = 10;
  const look = async () => markTold(db, await findUntoldEndpoints(db, limit));
  const remove = () => removeOldNotices(db, { before: new Date(), comparedSince: '', limit });
  for (let times = 0; times < 8; times += 1) for (const run of [look, remove]) await run();
  for (const statement of [
    `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until, told_since)
      select md5(n::text)::uuid, gen_random_uuid(), '', 9, 2, since, now(), case when n % 10 > 0 then since end
      from (select n, now() - interval '1 day' + n * interval '1 ms' as since from generate_series(1, 120000) n) f`,
    `insert into notices (id, kind, key, facts, occurred_at, shared_at)
      select gen_random_uuid(), 'endpoint_failing', id || ' ' || floor(extract(epoch from failing_since) * 1000)::bigint,
        json_build_object('endpointId', id), failing_since, now() from failing_endpoints where told_since is not null`,
    'analyze',
  ])
    await sql.raw(statement).execute(db);
  for (const run of [look, remove]) {
    const counts = await readsOf(db, run);
    t.ok(Math.min(...counts) <= 15 * limit, `${counts}`);
  }
  t.equal(await remove(), limit);
});
