import { sql } from 'kysely';
import t from 'tap';
import { readBacklog } from '../src/backlog.ts';
import { changeStatus } from '../src/payments/changes.ts';
import { lockPayment } from '../src/payments/payments.ts';
import { addPayment, addStore, move, openDatabase, view } from './rows.ts';

t.test('what is due is seen behind thousands of deliveries whose receiver is down', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const down = await addPayment(db, storeId, { webhookUrl: 'https://down.example/webhooks' });
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = 'replica'`.execute(trx);
    await sql`insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, created_at)
      select gen_random_uuid(), payment_id, store_id, sequence, url, endpoint, state, now() - interval '1 hour', created_at
      from deliveries, generate_series(1, 2_000) where payment_id = ${down}`.execute(trx);
    await sql`insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until)
      select distinct endpoint, store_id, url, 12, 3, now() - interval '1 day', now() + interval '1 hour'
      from deliveries`.execute(trx);
  });
  const dueSince = async () => (await readBacklog(db, { now: new Date() })).deliveriesDueSince;
  t.equal(await dueSince(), null, 'nothing that could be sent');
  await addPayment(db, storeId, { webhookUrl: 'https://up.example/webhooks' });
  t.type(await dueSince(), Date);
});

t.test(
  'reviews are summed by what was received and has not gone back, without those whose time is over',
  async (t) => {
    const { db } = await openDatabase(t);
    const storeId = await addStore(db);
    const [over, next] = [await addPayment(db, storeId), await addPayment(db, storeId)];
    for (const id of [over, next]) {
      await move(db, id, 'review');
      await sql`insert into pix_received (end_to_end_id, bank, payment_id, amount, effect, paid_at, received_at)
      values (${`E${id}`}, 'default', ${id}, 100_000, 'review', now(), now()),
        (${`S${id}`}, 'default', ${id}, 5_000, 'refund', now(), now())`.execute(db);
      await sql`insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, made_at,
        created_at, updated_at)
      values ('made', ${`E${id}`}, 'default', ${id}, 30_000, 30_000, 'bank', 'MD06', 'refunded', now(), now(), now()),
        ('failed', ${`E${id}`}, 'default', ${id}, 20_000, 20_000, 'bank', 'MD06', 'failed', null, now(), now()),
        ('second', ${`S${id}`}, 'default', ${id}, 5_000, 5_000, 'service', 'second_pix', 'refunded', now(), now(), now())
      `.execute(db);
    }
    const [long, short] = [new Date('2026-03-02T14:00:00Z'), new Date('2026-03-02T14:20:00Z')];
    const timedOut = { reviewSince: long, reviewTimedOutAt: new Date('2026-03-02T14:30:00Z') };
    await db.updateTable('payments').set(timedOut).where('id', '=', over).execute();
    await db.updateTable('payments').set({ reviewSince: short }).where('id', '=', next).execute();
    t.match(await readBacklog(db, { now: new Date() }), {
      reviewsWaiting: 2,
      reviewsWaitingSince: long,
      nextReviewSince: short,
      reviewsWaitingAmount: 70_000,
    });
  },
);

t.test('a Pix that fits no payment counts without what went back of it', async (t) => {
  const { db } = await openDatabase(t);
  await sql`insert into pix_received (end_to_end_id, bank, txid, amount, effect, unmatched, paid_at, received_at)
    values ('E1', 'default', 'x', 1_000, 'unmatched', 'not_in_charge', now(), now())`.execute(db);
  await sql`insert into refunds (id, end_to_end_id, bank, amount, wanted, origin, reason, state, made_at, created_at, updated_at)
    values ('made', 'E1', 'default', 600, 600, 'bank', 'MED_FRAUDE', 'refunded', now(), now(), now()),
      ('failed', 'E1', 'default', 400, 400, 'bank', 'MED_FRAUDE', 'failed', null, now(), now())`.execute(db);
  t.match(await readBacklog(db, { now: new Date() }), { pixUnmatched: 1, pixUnmatchedAmount: 400 });
});

t.test('only a return of money that the store had is one after the payout', async (t) => {
  const { db } = await openDatabase(t);
  const id = await addPayment(db, await addStore(db));
  for (const status of ['approved', 'paid', 'withdrawal_processing'] as const) await move(db, id, status);
  await sql`insert into pix_received (end_to_end_id, bank, payment_id, amount, effect, paid_at, received_at)
    values ('E1', 'default', ${id}, 1_000, 'approved', now(), now()),
      ('E2', 'default', ${id}, 1_000, 'refund', now(), now())`.execute(db);
  const takeBack = (endToEndId: string) =>
    sql`insert into refunds (id, end_to_end_id, bank, payment_id, amount, wanted, origin, reason, state, made_at,
      created_at, updated_at)
      values ('1', ${endToEndId}, 'default', ${id}, 1_000, 1_000, 'bank', 'MED_FRAUDE', 'refunded', now(), now(), now())`.execute(
      db,
    );
  await takeBack('E2');
  t.match(await readBacklog(db, { now: new Date() }), { bankReturnsLastDay: 1, bankReturnsAfterPayout: 0 });
  await takeBack('E1');
  t.match(await readBacklog(db, { now: new Date() }), { bankReturnsLastDay: 2, bankReturnsAfterPayout: 1 });
});

t.test(
  'a charge waits for its code since the creation, and to be removed since the cancellation',
  async (t) => {
    const { db } = await openDatabase(t);
    const storeId = await addStore(db);
    const [hoursAgo, now] = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-02T14:00:00Z')];
    const cancelled = await addPayment(db, storeId, { createdAt: hoursAgo });
    const since = async () => (await readBacklog(db, { now })).chargesUnregisteredSince;
    t.equal(await since(), null);
    await db.transaction().execute(async (trx) => {
      const payment = (await lockPayment(trx, cancelled))!;
      const why = { actor: 'store', reason: null, requestId: null };
      await changeStatus(trx, { payment, to: 'not_approved', amount: payment.charged, ...why, now, view });
    });
    t.strictSame(await since(), now);
    const noCode = { bank: null, copyAndPaste: null, chargeState: 'unregistered', chargeTryAt: now } as const;
    const waiting = await addPayment(db, storeId, { createdAt: hoursAgo });
    await db.updateTable('payments').set(noCode).where('id', '=', waiting).execute();
    t.strictSame(await since(), hoursAgo);
  },
);
