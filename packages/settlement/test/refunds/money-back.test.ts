import { listHistory } from '@payments/database/payments/history';
import { listRefunds } from '@payments/database/refunds/refunds';
import t from 'tap';
import { decide, timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund, RefundRefused } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain } from '../../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

const settle = async (b: typeof bench, id: string) => settleCharge(b.context, id, await chargeOf(b, id));
const bench = await openBench(t, (b, id) => settle(b, id));
const { context, db, system } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });
const timeOut = (id: string) => timeOutReview(context, id, new Date(context.now().getTime() + 1_000));
const refund = (paymentId: string, amount?: number) => orderRefund(context, { paymentId, amount, by });
const stories = async (id: string) =>
  (await listRefunds(db, id)).map(
    ({ origin, amount, state, reason }) => `${origin} ${amount} ${state} ${reason}`,
  );

/** Advances both clocks. */
async function pass(seconds: number) {
  bench.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
}

/** Pays this amount and settles it. */
async function paid(valor?: string) {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!, valor);
  await settle(bench, payment!.id);
  return { id: payment!.id, endToEndId, payment: payment! };
}

/** A MED of this amount, ten minutes later, which may fail. */
async function med(endToEndId: string, valor: string, refused: boolean) {
  await bench.faults({ slowRefundsMs: 600_000, refuseRefunds: refused });
  await system.bank('/bank/refunds', { endToEndId, valor });
  await bench.faults();
}

t.test('an over-payment that a person approves has the received amount', async (t) => {
  const { id } = await paid('12.34');
  t.match(await bench.payment(id), { status: 'review', amount: 1_000 });
  await decide(context, { paymentId: id, to: 'approved', by });
  t.match(await bench.payment(id), { status: 'approved', amount: 1_234, charged: 1_000 });
});

t.test('a MED that only the Pix by itself shows explains a refusal', async (t) => {
  const { id, endToEndId } = await paid();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await refund(id);
  const bare = async (txid: string) => {
    const charge = await context.pix.getCharge(txid);
    return charge && { ...charge, pix: charge.pix.map((one) => ({ ...one, refunds: [] })) };
  };
  const lagging = { ...context, pix: { ...context.pix, getCharge: bare } };
  await carryOutRefunds(lagging, { limit: 10, paymentId: id });
  t.same((await stories(id)).sort(), ['bank 400 refunded MED_FRAUDE', 'service 600 requested administrator']);
});

t.test('a MED fails after ours was reduced for it: the rest goes back', async (t) => {
  const { id, endToEndId } = await paid('5.00');
  await timeOut(id);
  await med(endToEndId, '2.00', true);
  await carryOut(id);
  await carryOut(id);
  t.same((await stories(id)).sort(), [
    'bank 200 processing MED_FRAUDE',
    'service 300 refunded review_timeout',
  ]);
  await pass(601);
  await settle(bench, id);
  await carryOut(id);
  t.match(await bench.refundsAtBank(id), [{ status: 'NAO_REALIZADO' }, { valor: '3.00' }, { valor: '2.00' }]);
  t.ok((await stories(id)).includes('service 200 refunded review_timeout'));
});

t.test('a MED that takes all of a timed-out review ends it; if it fails, ours is ordered', async (t) => {
  const { id, endToEndId } = await paid('5.00');
  await med(endToEndId, '5.00', true);
  await settle(bench, id);
  await timeOut(id);
  t.equal((await bench.payment(id)).status, 'not_approved');
  t.same(await stories(id), ['bank 500 processing MED_FRAUDE']);
  await pass(601);
  await settle(bench, id);
  await carryOut(id);
  t.same(await stories(id), ['bank 500 failed MED_FRAUDE', 'service 500 refunded review_timeout']);
});

t.test('a second Pix’s refused refund is ordered again, and does not delay the review’s end', async (t) => {
  const { id, payment } = await paid('5.00');
  await bench.pay(payment);
  await settle(bench, id);
  await bench.faults({ refuseRefunds: true });
  await carryOut(id);
  await bench.faults();
  await timeOut(id);
  await carryOut(id);
  t.equal((await bench.payment(id)).status, 'not_approved');
  await pass(61);
  await orderRefusedAgain(context, 10);
  await carryOut(id);
  const reasons = [
    'service 1000 failed second_pix',
    'service 1000 refunded second_pix',
    'service 500 refunded review_timeout',
  ];
  t.same((await stories(id)).sort(), reasons);
});

t.test('what the bank took back whole is not called refunded by us for a second Pix', async (t) => {
  const { id, endToEndId, payment } = await paid();
  await bench.pay(payment);
  await settle(bench, id);
  await carryOut(id);
  await system.bank('/bank/refunds', { endToEndId });
  await settle(bench, id);
  t.match(await bench.payment(id), { status: 'not_approved' });
  t.same((await stories(id)).sort(), ['bank 1000 refunded MED_FRAUDE', 'service 1000 refunded second_pix']);
  const changes = (await listHistory(db, id)).filter(({ type }) => type === 'payment.status_changed');
  t.match(changes.at(-1), { status: 'not_approved', reason: 'returned_by_bank' });
});

t.test('a Pix can go back in parts', async (t) => {
  const { id } = await paid();
  for (const [amount, left] of [
    [300, 700],
    [450, 250],
  ] as const) {
    await refund(id, amount);
    await carryOut(id);
    t.match(await bench.payment(id), { status: 'approved', amount: left });
  }
  await t.rejects(refund(id, 251), RefundRefused);
  await refund(id);
  await carryOut(id);
  t.match(await bench.payment(id), { status: 'not_approved', amount: 1_000 });
  t.match(await bench.refundsAtBank(id), [{ valor: '3.00' }, { valor: '4.50' }, { valor: '2.50' }]);
});

t.test('ten concurrent refunds stay within what is left', async (t) => {
  const { id } = await paid();
  const orders = await Promise.allSettled(Array.from({ length: 10 }, () => refund(id, 300)));
  t.equal(orders.filter(({ status }) => status === 'fulfilled').length, 3);
  await carryOut(id);
  t.match(await bench.refundsAtBank(id), { length: 3 });
  t.match(await bench.payment(id), { status: 'approved', amount: 100 });
});

t.test('a refund ordered again beside a MED still owes all of it when both fail', async (t) => {
  const { id, endToEndId } = await paid();
  await refund(id);
  await bench.faults({ refuseRefunds: true });
  await carryOut(id);
  await med(endToEndId, '6.00', true);
  await settle(bench, id);
  await bench.faults({ refuseRefunds: true });
  bench.advance(61);
  await orderRefusedAgain(context, 10);
  t.match((await listRefunds(db, id)).at(-1), { amount: 400, wanted: 1_000, state: 'requested' });
  // The MED fails while the smaller order is not sent yet.
  await pass(601);
  await settle(bench, id);
  t.match((await listRefunds(db, id)).at(-1), { amount: 400 }, 'no order hides the one in progress');
  await carryOut(id);
  await bench.faults();
  await pass(3_601);
  await orderRefusedAgain(context, 10);
  await carryOut(id);
  const made = (await bench.refundsAtBank(id)).filter(({ status }) => status === 'DEVOLVIDO');
  t.match(made, [{ valor: '10.00' }]);
  t.match(await bench.payment(id), { status: 'not_approved', amount: 1_000 });
});
