import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import t from 'tap';
import {
  claimDueCharges,
  claimExpired,
  closeCharge,
  postponeCharge,
  recordRegistration,
} from '../src/charges/charges.ts';
import { findUnknownPix, listPixReceived } from '../src/charges/pix-received.ts';
import { claimChargesSetAside, findChargesSetAside, listChargeProblemsOf } from '../src/charges/problems.ts';
import { listUnmatchedOf, lockUnmatchedPix } from '../src/charges/unmatched-pix.ts';
import type { Database } from '../src/connection.ts';
import { claimDeliveries } from '../src/deliveries/claim.ts';
import { readDue, readDueByEndpoint } from '../src/deliveries/due.ts';
import { renewLease } from '../src/deliveries/leases.ts';
import { removePublished, sweepOutbox } from '../src/events/outbox.ts';
import { paymentWriter } from '../src/payments/creation.ts';
import { listHistory } from '../src/payments/history.ts';
import { keyReserver } from '../src/payments/idempotency-keys.ts';
import { findOverdueReviews } from '../src/payments/reviews.ts';
import { claimDueRefunds } from '../src/refunds/claims.ts';
import { findPixWithOtherRefunds } from '../src/refunds/of-bank.ts';
import {
  findRefundByKey,
  findRefundsToOrderAgain,
  listRefunds,
  listRefundsOfPix,
} from '../src/refunds/refunds.ts';
import { tokenReader } from '../src/stores/authentication.ts';
import { delivered, recordAll } from './attempts.ts';
import { entriesRead } from './entries-read.ts';
import { addStore, creation, move, openDatabase } from './rows.ts';

const batch = 10;
const grown = 3_000;
const dispatcherId = randomUUID();

/** What is there before the first plans are made. PostgreSQL makes statistics by itself after fifty changes of a table. */
const beginnings: { what: string; payments: number; isAnalyzed: boolean }[] = [
  { what: 'new', payments: 0, isAnalyzed: false },
  ...[15, 60, 300].map((payments) => ({ what: `of ${payments} payments`, payments, isAnalyzed: true })),
];

/** Payments that are done with, with an event, a delivery, a Pix, a refund and one that was refused, a Pix that fits none, a charge that can’t be withdrawn and a token each. */
async function fill(db: Database, storeId: string, payments: number): Promise<void> {
  await sql`
    with payment as (
      insert into payments (id, store_id, status, charged, amount, is_public, webhook_url, copy_and_paste, charge_state,
        expires_at, expiry_check_at, events, created_at)
      select uuidv7(), ${storeId}, 'approved', 1000, 1000, true, 'https://store.example.com/', 'code', 'closed', now(),
        now(), 1, now()
      from generate_series(1, ${payments}::int) returning id
    ), event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
      select uuidv7(), id, ${storeId}, 1, 'payment.created', 'pending', '{}', 'store', now()
      from payment returning id, payment_id
    ), delivery as (
      insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, attempted, created_at)
      select id, payment_id, ${storeId}, 1, 'https://store.example.com/', uuidv7(), 'delivered', true, now() from event
      returning id
    ), pix as (
      insert into pix_received (end_to_end_id, payment_id, amount, effect, paid_at, received_at)
      select 'E' || id, id, 1000, 'approved', now(), now() from payment returning end_to_end_id, payment_id
    ), refund as (
      insert into refunds (id, end_to_end_id, payment_id, amount, wanted, origin, reason, state, created_at, updated_at)
      select 'R', end_to_end_id, payment_id, 1000, 1000, 'bank', 'bank', 'refunded', now(), now() from pix
      union all
      select 'F', end_to_end_id, payment_id, 1000, 1000, 'service', 'late', 'failed', now(), now() from pix
    ), unmatched as (
      insert into pix_received (end_to_end_id, amount, effect, paid_at, received_at, txid, unmatched)
      select 'U' || id, 1000, 'unmatched', now(), now(), id, 'returned' from payment
    ), problem as (
      insert into charge_problems (txid, work, payment_id, error, since)
      select id, 'cancel', id, 'refused', now() from payment
    )
    insert into tokens (id, store_id, hash, created_at, superseded_at)
    select uuidv7(), ${storeId}, sha256(id::text::bytea), now(), now() from payment`.execute(db);
}

const tables = [
  'payments',
  'events',
  'outbox',
  'deliveries',
  'pix_received',
  'refunds',
  'charge_problems',
  'tokens',
];

/** Claims what is due, records most of it, and looks behind the head of the queue. */
async function attemptDue(db: Database): Promise<void> {
  await renewLease(db, dispatcherId, 60_000);
  const deliveries = await readDue(db, batch);
  const claimed = await claimDeliveries(db, { dispatcherId, deliveries, probeMs: 60_000 });
  await recordAll(
    db,
    claimed.slice(1).map((delivery) => ({ delivery, ...delivered })),
  );
  await readDueByEndpoint(db, { after: null, endpoints: batch, perEndpoint: 2 });
}

/** What becomes of a charge, one payment at a time. */
async function changeOne(db: Database, paymentId: string): Promise<void> {
  await recordRegistration(db, paymentId, 'code');
  await postponeCharge(db, paymentId, new Date());
  await move(db, paymentId, 'approved');
  await closeCharge(db, paymentId);
}

/** What balancing a payment, and settling what the PSP lists, reads of them. */
async function lookAtMoney(db: Database, paymentIds: readonly string[]): Promise<void> {
  const [paymentId = ''] = paymentIds;
  await listPixReceived(db, paymentId);
  await listRefunds(db, paymentId);
  await listRefundsOfPix(db, `E${paymentId}`);
  await findRefundByKey(db, paymentId, 'a key');
  await findChargesSetAside(db, paymentIds);
  await listChargeProblemsOf(db, paymentId);
  await listUnmatchedOf(db, paymentId);
  await lockUnmatchedPix(db, `U${paymentId}`);
}

/** A batch of everything that services do all the time, from creation to the last attempt. */
async function work(db: Database, storeId: string): Promise<void> {
  const made = Array.from({ length: batch }, () => creation(storeId));
  await Promise.all(made.map(paymentWriter(db)));
  const paymentIds = made.map(({ payment }) => payment.id);
  const { rows } = await sql<{ id: string }>`
    select id from events where payment_id = any(${paymentIds}::uuid[])`.execute(db);
  const eventIds = rows.map(({ id }) => id);
  await attemptDue(db);
  const lease = { limit: batch, leaseMs: 60_000, now: new Date() };
  await claimDueCharges(db, lease);
  await claimExpired(db, lease);
  await claimDueRefunds(db, lease);
  await claimDueRefunds(db, { ...lease, paymentId: paymentIds[0] ?? '' });
  await changeOne(db, paymentIds[0] ?? '');
  await findUnknownPix(
    db,
    paymentIds.map((id) => ({ endToEndId: `E${id}`, paymentId: id })),
  );
  await findPixWithOtherRefunds(
    db,
    paymentIds.map((id) => ({ endToEndId: `E${id}`, id: 'R', state: 'refunded' as const })),
  );
  await listHistory(db, paymentIds[0] ?? '');
  await findOverdueReviews(db, { since: new Date(), after: undefined, limit: batch });
  await lookAtMoney(db, paymentIds);
  await claimChargesSetAside(db, lease);
  await findRefundsToOrderAgain(db, lease);
  await removePublished(db, eventIds.slice(1));
  await sweepOutbox(db, { before: new Date(Date.now() + 60_000), limit: batch }, async (events) =>
    events.map(({ event }) => event.id),
  );
  const [paymentId = ''] = paymentIds;
  await keyReserver(db)({
    storeId,
    key: paymentId,
    requestHash: Buffer.alloc(32),
    paymentId,
    now: new Date(),
  });
  await tokenReader(db).findTokenAndPayment(Buffer.alloc(32), paymentIds[0] ?? '');
}

/** All that is there is to be delivered, to three receivers; statistics know nothing of it. */
async function makeDue(db: Database): Promise<void> {
  await sql`
    update deliveries set state = 'pending', next_attempt_at = now() - interval '1 hour' + place * interval '1 ms',
      endpoint = md5((place % 3)::text)::uuid
    from (select id as due_id, row_number() over () as place from deliveries) due where id = due_id`.execute(
    db,
  );
}

/** The PSP has taken nothing for a while: all that is there is to be registered, and to be refunded. */
async function makeOwed(db: Database): Promise<void> {
  await sql`update payments set status = 'pending', charge_state = 'unregistered', charge_try_at = now() - interval '1 hour'`.execute(
    db,
  );
  await sql`update refunds set state = 'requested', try_at = now() - interval '1 hour' where id = 'R'`.execute(
    db,
  );
}

/** All that the PSP has refused, or shows no charge for, waits to be tried again; statistics know nothing of it. */
async function makeRefused(db: Database): Promise<void> {
  await sql`update refunds set order_again_at = now() - interval '1 hour' where id = 'F'`.execute(db);
  await sql`update charge_problems set work = 'settle', try_at = now() - interval '1 hour'`.execute(db);
  await sql`update pix_received set unmatched = 'no_payment' where payment_id is null`.execute(db);
}

/** All that is there waits for a decision, for too long; statistics know nothing of it. */
async function makeOverdue(db: Database): Promise<void> {
  await sql`update payments set status = 'review', review_since = now() - interval '1 hour'`.execute(db);
}

const growths: [string, (db: Database, storeId: string) => Promise<void>][] = [
  ['much that is done with', (db, storeId) => fill(db, storeId, grown)],
  ['much that is due', makeDue],
  ['much that is in review', makeOverdue],
  ['much that the PSP has yet to be asked for', makeOwed],
  ['much that the PSP has refused', makeRefused],
];

for (const { what, payments, isAnalyzed } of beginnings) {
  t.test(
    `what is read does not grow with the tables, where plans were made as a database was ${what}`,
    async (t) => {
      const { db } = await openDatabase(t, 1);
      const storeId = await addStore(db);
      for (const table of tables)
        await sql`alter table ${sql.ref(table)} set (autovacuum_enabled = off)`.execute(db);
      await fill(db, storeId, payments);
      if (isAnalyzed) await sql`vacuum analyze`.execute(db);
      // A prepared statement may change to a generic plan at its sixth run.
      for (let run = 0; run < 8; run += 1) await work(db, storeId);
      for (const [how, grow] of growths) {
        await grow(db, storeId);
        const before = await entriesRead(db, tables);
        await work(db, storeId);
        const after = await entriesRead(db, tables);
        for (const [name, entries] of after) {
          const more = entries - (before.get(name) ?? 0);
          t.ok(more <= 50 * batch, `${how}: ${more} of ${name}`);
        }
      }
    },
  );
}
