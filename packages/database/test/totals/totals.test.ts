import { randomUUID } from 'node:crypto';
import { dayOf, startOf } from '@payments/domain/days';
import { firstIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import t from 'tap';
import { recordRegistration } from '../../src/charges/charges.ts';
import type { Database } from '../../src/connection.ts';
import { insertPayment } from '../../src/payments/creation.ts';
import { findPayment, lockPayment } from '../../src/payments/payments.ts';
import { insertRefundAtBank } from '../../src/refunds/refunds.ts';
import { findTotalsDifferences, foldTotals } from '../../src/totals/rows.ts';
import { readStatement } from '../../src/totals/statement.ts';
import { readTotals, sumCreated } from '../../src/totals/totals.ts';
import { addPayment, addStore, creation, move, openDatabase, setAmount, view } from '../rows.ts';

const hourMs = 3_600_000;
const idMadeAt = (moment: Date) => firstIdOf(moment).slice(0, 18) + randomUUID().slice(18);

/** Adds an exact Pix and a return of a part of it, made at this time. */
async function giveBack(db: Database, paymentId: string, amount: number, madeAt: Date): Promise<void> {
  const endToEndId = `E${paymentId}`;
  const now = new Date();
  await db.transaction().execute(async (trx) => {
    const payment = (await lockPayment(trx, paymentId))!;
    await trx
      .insertInto('pixReceived')
      .values({
        bank: 'default',
        endToEndId,
        paymentId,
        amount: 1_000,
        effect: 'approved',
        paidAt: now,
        receivedAt: now,
      })
      .execute();
    const refund = { id: 'MED', endToEndId, paymentId, amount, ordinal: null, reason: 'bank', rtrId: null };
    await insertRefundAtBank(trx, { ...refund, state: 'refunded', madeAt, tryAt: null, now });
    await setAmount(trx, payment, 1_000 - amount);
  });
}

t.test('kept totals equal the rows, while others change them and two processes fold them', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 20 });
  const stores = await Promise.all([addStore(db), addStore(db)]);
  const today = startOf(dayOf(new Date())).getTime();
  let isOver = false;
  const fold = async () => {
    while (!isOver) await foldTotals(db, 5);
  };
  const folding = [fold(), fold()];
  // Two of the twenty connections fold. Whoever waits five seconds for one is turned away.
  await pLimit(18).map(Array.from({ length: 120 }), async (_, index) => {
    const createdAt = new Date(today - (index % 9) * 7 * hourMs);
    const id = await addPayment(db, stores[index % 2]!, { id: idMadeAt(createdAt), createdAt });
    if (index % 3 === 0) return;
    if (index % 4 === 0) await move(db, id, 'review');
    await move(db, id, 'approved');
    if (index % 5 === 0) await giveBack(db, id, 300, new Date(today - index * hourMs));
    if (index % 7 === 0) await move(db, id, 'paid');
  });
  t.strictSame(await findTotalsDifferences(db), []);
  isOver = true;
  await Promise.all(folding);
  while ((await foldTotals(db, 50)) > 0);
  t.strictSame(await findTotalsDifferences(db), []);
  const whole = await readTotals(db, { by: 'status' });
  t.equal(
    whole.reduce((sum, { createdCount }) => sum + createdCount, 0),
    120,
  );
  const rows = db.selectFrom('payments').select(({ fn }) => fn.sum<string>('amount').as('amount'));
  const amount = Number((await rows.executeTakeFirstOrThrow()).amount);
  t.same(await sumCreated(db, {}), { total: 120, amount }, 'amounts of now, by creation');
  const since = new Date(today - 30 * hourMs);
  const [until, between] = [new Date(today + 20 * hourMs), new Date(today - 3 * hourMs)];
  for (const storeId of [undefined, ...stores]) {
    const parts = await Promise.all([
      readTotals(db, { by: 'day', storeId, since, until: between }),
      readTotals(db, { by: 'day', storeId, since: between, until }),
    ]);
    const both = await readTotals(db, { by: 'day', storeId, since, until });
    for (const figure of ['createdCount', 'approvedAmount', 'refundedAmount'] as const) {
      const sum = (totals: typeof both) => totals.reduce((total, one) => total + one[figure], 0);
      t.equal(sum(parts.flat()), sum(both), `${figure} of parts of days`);
    }
  }
});

t.test('kept totals equal the rows after a bank takes charges while their payments move', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 20 });
  const storeId = await addStore(db);
  // As many at once as there are connections, so that none waits for one.
  const tenAtOnce = Array.from({ length: 6 }, () => Array.from({ length: 10 }));
  for (const some of tenAtOnce)
    await Promise.all(
      some.map(async () => {
        const waiting = { ...creation(storeId, { copyAndPaste: null }), bank: null };
        await insertPayment(db, waiting);
        const { id } = waiting.payment;
        const registration = { bank: 'default', copyAndPaste: 'code', now: new Date(), view };
        await Promise.all([move(db, id, 'not_approved'), recordRegistration(db, id, registration)]);
      }),
    );
  t.strictSame(await findTotalsDifferences(db), []);
});

t.test('a sum is right while one of two folds has not ended', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const id = await addPayment(db, storeId);
  await giveBack(db, id, 300, new Date());
  await db.transaction().execute(async (other) => {
    await sql`select from total_changes order by ctid limit 1 for update`.execute(other);
    t.equal(await foldTotals(db, 10), 2);
    t.same(await sumCreated(db, { storeId }), { total: 1, amount: 700 });
  });
});

t.test(
  'a day’s figures: created, approved with the amounts of now, refunded by the time of the return',
  async (t) => {
    const { db } = await openDatabase(t);
    const storeId = await addStore(db);
    const createdAt = new Date('2026-03-10T01:00:00Z');
    const id = await addPayment(db, storeId, { id: idMadeAt(createdAt), createdAt });
    await move(db, id, 'approved');
    const today = dayOf((await findPayment(db, id))!.approvedAt!);
    const madeAt = new Date('2026-04-02T12:00:00Z');
    await giveBack(db, id, 400, madeAt);
    const none = { createdCount: 0, approvedCount: 0, approvedAmount: 0, feeAmount: 0, refundedAmount: 0 };
    const days = [
      { ...none, key: '2026-03-09', createdCount: 1 },
      { ...none, key: '2026-04-02', refundedAmount: 400 },
      { ...none, key: today, approvedCount: 1, approvedAmount: 600 },
    ];
    t.same(await readTotals(db, { by: 'day', storeId }), days);
    const since = new Date('2026-03-10T00:59:00Z');
    t.same(await readTotals(db, { by: 'day', since, until: new Date('2026-03-10T01:01:00Z') }), [days[0]]);
    t.same(await readTotals(db, { by: 'day', since: startOf('2026-03-10'), until: madeAt }), []);
    const before = await readStatement(db, { storeId, by: 'month', to: '2026-04-01' });
    t.same(before, { opening: 0, items: [], closing: 0 });
    const one = { period: today, received: 1_000, fees: 0, givenBack: 0, closing: 1_000 };
    t.same(await readStatement(db, { storeId, by: 'day', from: today }), {
      opening: 0,
      items: [one],
      closing: 1_000,
    });
  },
);
