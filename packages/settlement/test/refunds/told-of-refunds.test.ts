import { lockPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// Each refund causes a callback with the same content as the refund's response.
const bench = await openBench(t, async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)));
const { context, db, pix } = bench;
const told = (id: string) => settleTold(context, [{ txid: txidOf(id), endToEndIds: [] }]);

/** A review whose refund was ordered. */
async function timedOut() {
  const { id } = await bench.review();
  await timeOutReview(context, id, new Date(context.now().getTime() + 1_000));
  return { id, ordered: (await listRefunds(db, id))[0]! };
}

t.test('a callback of a recorded refund waits for no lock', async (t) => {
  const { id } = await timedOut();
  await carryOutRefunds(context, { limit: 10, paymentId: id });
  await db.transaction().execute(async (trx) => {
    await lockPayment(trx, id);
    t.equal(await told(id), 0);
  });
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'refunded' } });
});

t.test('a callback of a refund whose response was lost: it is recorded, and the review ends', async (t) => {
  const { id, ordered } = await timedOut();
  await pix.requestRefund(ordered.endToEndId, ordered.id, ordered.amount);
  await told(id);
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'refunded' } });
  t.equal((await bench.payment(id)).status, 'not_approved');
});

for (const [returned, status, amount] of [
  [undefined, 'not_approved', 10],
  ['4.00', 'approved', 6],
] as const)
  t.test(`a Pix that is first seen with its return: the return is told, then ${status}`, async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    await bench.system.bank('/bank/refunds', { endToEndId, ...(returned && { valor: returned }) });
    await told(id);
    const events = db.selectFrom('events').select(['type', 'payload']).where('paymentId', '=', id);
    t.match(await events.orderBy('sequence').execute(), [
      { type: 'payment.created' },
      { type: 'refund.updated', payload: { status: 'pending' } },
      { type: 'payment.status_changed', payload: { status, amount } },
    ]);
    t.equal((await events.execute()).length, 3, 'and no more');
  });

t.test('a callback while the response is being recorded: the refund is recorded once', async (t) => {
  const { id } = await timedOut();
  await Promise.all([carryOutRefunds(context, { limit: 10, paymentId: id }), told(id), told(id)]);
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'refunded' } });
  t.match(await bench.refundsAtBank(id), { length: 1, 0: { status: 'DEVOLVIDO' } });
  t.equal((await bench.payment(id)).status, 'not_approved');
});
