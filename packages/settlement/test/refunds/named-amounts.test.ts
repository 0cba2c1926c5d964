import { listRefunds } from '@payments/database/refunds/refunds';
import t from 'tap';
import { decide } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain, orderRetry, withdrawRefund } from '../../src/refunds/refused-refund.ts';

import { chargeOf, openBench } from '../at-bank.ts';

// A person's order of a named amount goes back as ordered, or not at all. All that is left follows what is left.
const settle = async (b: typeof bench, id: string) => settleCharge(b.context, id, await chargeOf(b, id));
const bench = await openBench(t, (b, id) => settle(b, id));
const { context, db, system } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const refund = (paymentId: string, amount?: number) => orderRefund(context, { paymentId, amount, by });
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });
const noLonger = {
  amount: 600,
  state: 'failed',
  lastError: { code: 'moreThanIsLeft' },
  orderAgainAt: null,
  owed: null,
};

async function approved() {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await settle(bench, payment!.id);
  return { id: payment!.id, endToEndId };
}

/** The bank takes a part back by itself, without telling. */
const takeBack = (endToEndId: string, valor: string) => system.bank('/bank/refunds', { endToEndId, valor });

const ours = async (id: string) => (await listRefunds(db, id)).filter(({ origin }) => origin === 'service');

async function pass(seconds: number) {
  bench.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
}

t.test('the bank took a part meanwhile: a named amount ends, and nothing of it is sent', async (t) => {
  const { id, endToEndId } = await approved();
  await takeBack(endToEndId, '5.00');
  const ordered = await refund(id, 600);
  await carryOut(id);
  await carryOut(id);
  t.match(await ours(id), { length: 1, 0: noLonger });
  t.match(await bench.refundsAtBank(id), { length: 1, 0: { valor: '5.00' } });
  t.match(await bench.payment(id), { status: 'approved', amount: 500 });

  const onRefused = { paymentId: id, refundId: ordered!.id, by };
  await t.rejects(orderRetry(context, onRefused), { name: 'RefundRefused', message: 'ended' });
  await t.rejects(withdrawRefund(context, onRefused), { name: 'RefundRefused', message: 'ended' });
  for (const seconds of [61, 601, 86_400]) {
    await pass(seconds);
    await orderRefusedAgain(context, 10);
    await carryOut(id);
  }
  t.match(await ours(id), { length: 1 }, 'it is not ordered again');
  t.match(await decide(context, { paymentId: id, to: 'paid', by }), { status: 'paid', amount: 500 });
});

t.test('a named amount that waits after a refusal ends when the bank takes a part', async (t) => {
  const { id, endToEndId } = await approved();
  await refund(id, 600);
  await bench.faults({ refuseRefunds: true });
  await carryOut(id);
  await bench.faults();
  t.match(await ours(id), [
    { state: 'failed', lastError: { code: 'told', detail: /Recusada/ }, orderAgainAt: Date },
  ]);
  await takeBack(endToEndId, '4.01');
  await settle(bench, id);
  t.match(await ours(id), { length: 1, 0: noLonger });
  t.match(await bench.payment(id), { status: 'approved', amount: 599 });
});

t.test('it ends also beside a return in process, and for good: if that one fails, all stays', async (t) => {
  const { id, endToEndId } = await approved();
  await bench.faults({ slowRefundsMs: 600_000, refuseRefunds: true });
  await takeBack(endToEndId, '5.00');
  await bench.faults();
  await refund(id, 600);
  await carryOut(id);
  t.match(await ours(id), { length: 1, 0: noLonger });
  await pass(601);
  await settle(bench, id);
  t.match(await listRefunds(db, id), [{ state: 'failed' }, { state: 'failed' }]);
  t.match(await bench.payment(id), { status: 'approved', amount: 1_000 });
  await refund(id, 600);
  await carryOut(id);
  t.match(await bench.payment(id), { status: 'approved', amount: 400 }, 'a new order fits');
});

t.test('a person who names all that is left named an amount', async (t) => {
  const { id, endToEndId } = await approved();
  await takeBack(endToEndId, '0.01');
  await refund(id, 1_000);
  await carryOut(id);
  t.match(await ours(id), { length: 1, 0: { ...noLonger, amount: 1_000 } });
  t.match(await bench.payment(id), { status: 'approved', amount: 999 });
});

t.test('all that is left follows what is left', async (t) => {
  const { id, endToEndId } = await approved();
  await takeBack(endToEndId, '5.00');
  t.match(await refund(id), { amount: 1_000 });
  await carryOut(id);
  await carryOut(id);
  t.match(await ours(id), { length: 1, 0: { amount: 500, state: 'refunded', lastError: null } });
  t.match(await bench.payment(id), { status: 'not_approved' });
});

t.test('all that was shown to a person: another amount is not ordered', async (t) => {
  const { id } = await approved();
  const all = { paymentId: id, amount: undefined, by };
  await t.rejects(orderRefund(context, { ...all, shown: 999 }), { message: 'leftChanged' });
  t.match(await orderRefund(context, { ...all, shown: 1_000 }), { amount: 1_000, exact: false });
});
