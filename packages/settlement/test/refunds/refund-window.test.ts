import { listRefunds, listRefundsOfPix } from '@payments/database/refunds/refunds';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { newId, txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { orderRefundOfUnmatched } from '../../src/pix/unmatched.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain, orderRetry } from '../../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// A Pix can be given back for 90 days (API Pix 2.9). After them nothing is ordered, and what is due is owed at once.
const settle = async (b: typeof bench, id: string) => settleCharge(b.context, id, await chargeOf(b, id));
const bench = await openBench(t, (b, id) => settle(b, id));
const { context, db, system } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });
const over = { name: 'RefundRefused', message: 'windowOver' };
const owedAtOnce = (owed: number) => ({
  state: 'failed',
  owed,
  orderAgainAt: null,
  lastError: { code: 'windowOver' },
});

/** Dates the Pix so that today is its day of this number. */
async function date(endToEndId: string, days: number) {
  const paidAt = startOf(addDays(dayOf(context.now()), -days));
  await db.updateTable('pixReceived').set({ paidAt }).where('endToEndId', '=', endToEndId).execute();
}

async function paid(valor?: string) {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!, valor);
  await settle(bench, payment!.id);
  return { id: payment!.id, endToEndId, payment: payment! };
}

async function refuse(paymentId: string) {
  await bench.faults({ refuseRefunds: true });
  await carryOut(paymentId);
  await bench.faults();
}

t.test('a person’s order: on the 90th day yes, after it an error at once', async (t) => {
  const { id, endToEndId } = await paid();
  await date(endToEndId, 90);
  await orderRefund(context, { paymentId: id, amount: 300, by });
  await carryOut(id);
  await date(endToEndId, 91);
  for (const amount of [undefined, 300, 5_000])
    await t.rejects(orderRefund(context, { paymentId: id, amount, by }), over);
  t.match(await listRefunds(db, id), { length: 1 });
  const review = await bench.review();
  await db
    .updateTable('pixReceived')
    .set({ paidAt: new Date(0) })
    .where('paymentId', '=', review.id)
    .execute();
  await t.rejects(orderRefund(context, { paymentId: review.id, amount: 1, by }), {
    message: 'notRefundable',
  });
});

t.test('a refused refund is owed at once after it: not ordered again, by no one', async (t) => {
  const { id, endToEndId } = await paid();
  const ordered = await orderRefund(context, { paymentId: id, amount: 300, by });
  await refuse(id);
  t.match(await listRefunds(db, id), [{ state: 'failed', orderAgainAt: Date, owed: null }]);
  await date(endToEndId, 91);
  bench.advance(61);
  await orderRefusedAgain(context, 10);
  t.match(await listRefunds(db, id), { length: 1, 0: owedAtOnce(300) });
  await t.rejects(orderRetry(context, { paymentId: id, refundId: ordered!.id, by }), over);
});

t.test('a refusal after it is no schedule', async (t) => {
  const { id } = await timedOutLate();
  t.match(await listRefunds(db, id), { length: 1, 0: owedAtOnce(500) });
});

/** A review whose refund was ordered in time, and refused late. */
async function timedOutLate() {
  const found = await paid('5.00');
  await timeOutReview(context, found.id, new Date(context.now().getTime() + 1_000));
  await date(found.endToEndId, 91);
  await refuse(found.id);
  return found;
}

t.test('what the service itself would order is owed at once, and asked of no bank', async (t) => {
  const { id, endToEndId } = await paid('5.00');
  await date(endToEndId, 91);
  const timeOut = () => timeOutReview(context, id, new Date(context.now().getTime() + 1_000));
  await timeOut();
  const reason = 'review_timeout';
  t.match(await listRefunds(db, id), { length: 1, 0: { ...owedAtOnce(500), reason, amount: 500 } });
  await settle(bench, id);
  await orderRefusedAgain(context, 10);
  t.equal(await carryOut(id), 0);
  t.match(await listRefunds(db, id), { length: 1 }, 'once');
  t.same(await bench.refundsAtBank(id), []);
});

t.test('a second Pix that was paid long ago is owed at once', async (t) => {
  const { id, payment } = await paid();
  const second = await bench.pay(payment);
  const charge = await chargeOf(bench, id);
  const longAgo = (one: (typeof charge.pix)[number]) =>
    one.endToEndId === second ? { ...one, paidAt: startOf(addDays(dayOf(context.now()), -91)) } : one;
  await settleCharge(context, id, { ...charge, pix: charge.pix.map(longAgo) });
  t.match(await listRefunds(db, id), {
    length: 1,
    0: { ...owedAtOnce(1_000), reason: 'second_pix', endToEndId: second },
  });
});

t.test('a Pix without a payment: an error at once', async (t) => {
  const txid = txidOf(newId());
  const terms = { amount: 1_000, expiresInSeconds: 3_600, storeId: newId() };
  const charge = await bench.pix.putCharge(txid, terms);
  const { body } = await system.bank('/bank/pay', { pixCopiaECola: charge.copyAndPaste });
  await settleTold(context, [{ txid, endToEndIds: [body.endToEndId] }]);
  await date(body.endToEndId, 91);
  await t.rejects(orderRefundOfUnmatched(context, { endToEndId: body.endToEndId, by }), over);
  t.same(await listRefundsOfPix(db, [body.endToEndId]), []);
  await date(body.endToEndId, 90);
  t.match(await orderRefundOfUnmatched(context, { endToEndId: body.endToEndId, by }), { amount: 1_000 });
});
