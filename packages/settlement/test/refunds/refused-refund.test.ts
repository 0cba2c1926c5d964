import { listRefunds } from '@payments/database/refunds/refunds';
import t from 'tap';
import { decide } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain, withdrawRefund } from '../../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// The further steps after a refund that the bank refused.
const bench = await openBench(t, async () => {});
const { context, db } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const order = (paymentId: string, amount?: number) => orderRefund(context, { paymentId, amount, by });
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });
const consolidate = (paymentId: string) => decide(context, { paymentId, to: 'paid', by });

/** An approved payment of 10 reais with a refused refund of this amount. */
async function refused(amount?: number) {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  await settleCharge(context, payment!.id, await chargeOf(bench, payment!.id));
  const refund = await order(payment!.id, amount);
  await bench.faults({ refuseRefunds: true });
  await carryOut(payment!.id);
  await bench.faults();
  return { id: payment!.id, refundId: refund!.id };
}

t.test('a refused refund is not ordered twice: only the rest can be ordered', async (t) => {
  const { id } = await refused(300);
  await t.rejects(order(id, 701), { name: 'RefundRefused', message: 'moreThanIsLeft' });
  t.match(await order(id), { amount: 700 });
  await carryOut(id);
  bench.advance(61);
  await orderRefusedAgain(context, 10);
  await carryOut(id);
  const amounts = (await bench.refundsAtBank(id)).filter(({ status }) => status === 'DEVOLVIDO');
  t.same(amounts.map(({ valor }) => valor).sort(), ['3.00', '7.00']);
  t.match(await bench.payment(id), { status: 'not_approved', amount: 1_000 });
});

t.test('with nothing left, the error asks to order that refund again', async (t) => {
  const { id } = await refused();
  await t.rejects(order(id), { name: 'RefundRefused', message: 'refusedByBank' });
});

t.test('a refused refund blocks the payout until it is withdrawn', async (t) => {
  const { id, refundId } = await refused(400);
  const underWay = { name: 'TransitionRefused', message: 'returnUnderWay' };
  await t.rejects(consolidate(id), underWay);
  for (const seconds of [61, 601]) {
    bench.advance(seconds);
    await bench.faults({ refuseRefunds: true });
    await orderRefusedAgain(context, 10);
    await carryOut(id);
    await bench.faults();
  }
  const owed = (await listRefunds(db, id)).at(-1)!;
  t.match(owed, { state: 'failed', owed: 400, orderAgainAt: null });
  await t.rejects(consolidate(id), underWay, 'also what is owed');
  await t.rejects(withdrawRefund(context, { paymentId: id, refundId, by }), { message: 'orderedAlready' });
  t.match(await withdrawRefund(context, { paymentId: id, refundId: owed.id, by }), { owed: null });
  t.match(await consolidate(id), { status: 'paid', amount: 1_000 });
});
