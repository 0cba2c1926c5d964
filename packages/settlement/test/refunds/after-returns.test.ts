import { listHistory } from '@payments/database/payments/history';
import t from 'tap';
import { timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// A payment's history, and its store's news, when all that was received has gone back.
const bench = await openBench(t, async () => {});
const { context, db, system } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const settle = async (id: string) => settleCharge(context, id, await chargeOf(bench, id));
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });

async function paid(valor?: string) {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!, valor);
  await settle(payment!.id);
  return { id: payment!.id, endToEndId };
}

/** The last mover of the payment, the reason, and the amount that its store was told. */
async function lastOf(id: string) {
  const { actor, reason, status, ...last } = (await listHistory(db, id)).at(-1)!;
  const { payload } = await db
    .selectFrom('events')
    .select('payload')
    .where('id', '=', last.id)
    .executeTakeFirstOrThrow();
  return { actor, reason, status, amount: payload.amount };
}

t.test('by a person’s order', async (t) => {
  const { id } = await paid();
  await orderRefund(context, { paymentId: id, amount: undefined, by });
  await carryOut(id);
  const end = { actor: 'refund', reason: 'refunded', status: 'not_approved', amount: 10 };
  t.strictSame(await lastOf(id), end, 'the store is told what was charged, not what is left');
});

t.test('by the bank, which had refused ours', async (t) => {
  const { id, endToEndId } = await paid();
  await orderRefund(context, { paymentId: id, amount: 400, by });
  await bench.faults({ refuseRefunds: true });
  await carryOut(id);
  await bench.faults();
  await system.bank('/bank/refunds', { endToEndId, valor: '10.00' });
  await settle(id);
  t.strictSame(await lastOf(id), {
    actor: 'refund',
    reason: 'returned_by_bank',
    status: 'not_approved',
    amount: 10,
  });
});

t.test('by the time-out of its review', async (t) => {
  const { id } = await paid('5.00');
  await timeOutReview(context, id, new Date(context.now().getTime() + 1_000));
  await carryOut(id);
  t.strictSame(await lastOf(id), {
    actor: 'review-timeout',
    reason: 'review_timeout',
    status: 'not_approved',
    amount: 10,
  });
});
