import { paymentStatuses } from '@payments/domain/status';
import pLimit from 'p-limit';
import t from 'tap';
import { changeStatus } from '../../src/payments/changes.ts';
import { countPayments } from '../../src/payments/counts.ts';
import { lockPayment } from '../../src/payments/payments.ts';
import { addPayment, addStore, openDatabase, view } from '../rows.ts';

t.test('counts equal the rows after concurrent creations and moves in opposite directions', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const other = await addStore(db);
  await addPayment(db, other);
  // No more at once than there are connections: whoever waits five seconds for one is turned away.
  const atOnce = pLimit(10);
  const ids = await atOnce.map(Array.from({ length: 60 }), () => addPayment(db, storeId));
  const moves = ['review', 'not_approved', 'review', 'approved'] as const;
  await atOnce.map(ids, async (id, index) => {
    // Different lengths give different ends; reviews and refusals cross in both directions.
    for (const to of moves.slice(0, 1 + (index % moves.length))) {
      await db.transaction().execute(async (trx) => {
        const payment = await lockPayment(trx, id);
        if (!payment) throw new Error('it was created');
        const why = { actor: 'test', reason: null, requestId: null };
        await changeStatus(trx, { payment, to, amount: payment.charged, ...why, now: new Date(), view });
      });
    }
  });
  for (const status of paymentStatuses) {
    const { rows } = await db
      .selectFrom('payments')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('storeId', '=', storeId)
      .where('status', '=', status)
      .executeTakeFirstOrThrow();
    t.equal(await countPayments(db, { storeId, status }), rows, status);
  }
  t.equal(await countPayments(db, { storeId }), 60);
  t.equal(await countPayments(db, { storeId: other }), 1);
});

t.test('a repeated creation counts once', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const id = await addPayment(db, storeId);
  await addPayment(db, storeId, { id });
  t.equal(await countPayments(db, { storeId }), 1);
});
