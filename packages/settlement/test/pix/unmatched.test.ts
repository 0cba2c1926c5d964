import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblems } from '@payments/database/charges/problems';
import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { isOfStatus, listHistory } from '@payments/database/payments/history';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import { findTotalsDifferences } from '@payments/database/totals/rows';
import { readTotals } from '@payments/database/totals/totals';
import { createdAtOf, newId, txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { orderRefundOfUnmatched } from '../../src/pix/unmatched.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { openBench } from '../at-bank.ts';

// A Pix of ours that fits no payment: kept, shown, retried, and refunded on a person's order.
const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, db, system } = bench;
const page = { page: 1, limit: 50 };
const by = { name: 'Ana', via: 'api', reason: 'sem cobrança', requestId: null } as const;
const problems = async () => (await listChargeProblems(db, page)).items;
const unmatched = async () => (await listUnmatchedPix(db, page)).items;

/** Advances both clocks, ours and the bank's. */
let bankOffset = 0;
async function timePasses(seconds: number) {
  bench.advance(seconds);
  bankOffset += seconds;
  await system.bank('/bank/clock', {});
  await system.bank('/bank/clock', { advanceSeconds: bankOffset });
}

const tryAgain = async (as = context) => {
  await timePasses(16 * 60);
  await settleSetAside(as, { limit: 50, leaseMs: 1_000 });
};

/** A Pix for a charge that is marked as ours and has no payment, as after a restore. */
async function stray(storeId: string | undefined) {
  const id = newId();
  const terms = { amount: 1_000, expiresInSeconds: 3_600, ...(storeId && { storeId }) };
  const charge = await bench.pix.putCharge(txidOf(id), terms);
  const { body } = await system.bank('/bank/pay', { pixCopiaECola: charge.copyAndPaste });
  return { id, endToEndId: body.endToEndId as string };
}

t.test('after a restore, the payment of a paid charge is created anew', async (t) => {
  const { id, endToEndId } = await stray(bench.store.id);
  await timePasses(301);
  const recovering = { ...context, recoversPayments: true };
  await Promise.all([reconcile(recovering), reconcile(recovering)]);
  t.match(await bench.payment(id), {
    status: 'approved',
    storeId: bench.store.id,
    amount: 1_000,
    createdAt: createdAtOf(id),
    webhookUrl: null,
  });
  t.match(await listPixReceived(db, id), [{ endToEndId }], 'once, with two replicas');
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('after a restore, a Pix of a store that is lost, too, is kept', async (t) => {
  const { endToEndId } = await stray(newId());
  await timePasses(301);
  await reconcile({ ...context, recoversPayments: true });
  t.match(await unmatched(), [{ endToEndId, reason: 'no_payment' }]);
  await orderRefundOfUnmatched(context, { endToEndId, by });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a charge of ours without a payment: its Pix is kept, and refunded by a person', async (t) => {
  const { id, endToEndId } = await stray(bench.store.id);
  await timePasses(301);
  t.equal(await reconcile(context), 0);
  t.match(await unmatched(), [{ endToEndId, reason: 'no_payment', amount: 1_000, txid: txidOf(id) }]);
  t.match(await problems(), [{ work: 'settle', txid: txidOf(id) }]);
  const refund = await orderRefundOfUnmatched(context, { endToEndId, by });
  t.match(refund, { amount: 1_000, paymentId: null, note: 'sem cobrança' });
  await t.rejects(orderRefundOfUnmatched(context, { endToEndId, by }), { name: 'RefundRefused' });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  t.match(await bench.refundsAtBank(id), [{ valor: '10.00', status: 'DEVOLVIDO' }]);
  t.same(await unmatched(), [], 'no unmatched Pix is left');
  await tryAgain();
  t.same(await problems(), []);
  await reconcile(context);
  t.same(await problems(), [], 'it is not found again');
});

t.test('a Pix that was kept gets its payment once lost payments are asked for', async (t) => {
  const { id, endToEndId } = await stray(bench.store.id);
  const { id: otherId, endToEndId: other } = await stray(bench.store.id);
  await timePasses(301);
  await reconcile(context);
  await system.bank('/bank/refunds', { endToEndId: other, valor: '4.00' });
  await tryAgain({ ...context, recoversPayments: true });
  t.match(await bench.payment(id), { status: 'approved', amount: 1_000 });
  t.match(await listPixReceived(db, id), [{ endToEndId }]);
  t.match(await unmatched(), [{ endToEndId: other }], 'one of which a part went back is left to people');
  await orderRefundOfUnmatched(context, { endToEndId: other, by });
  await carryOutRefunds(context, { limit: 1, endToEndId: other });
  t.match(await bench.refundsAtBank(otherId), [{ valor: '4.00' }, { valor: '6.00' }]);
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a charge without our mark is skipped', async (t) => {
  await stray(undefined);
  await timePasses(301);
  await reconcile(context);
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('an unmatched Pix’s refused refund is ordered again, and its MED is recorded', async (t) => {
  const { endToEndId } = await stray(newId());
  await timePasses(301);
  await reconcile(context);
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await tryAgain();
  t.match(await listRefundsOfPix(db, [endToEndId]), [{ origin: 'bank', amount: 400, state: 'refunded' }]);
  await bench.faults({ refuseRefunds: true });
  t.match(await orderRefundOfUnmatched(context, { endToEndId, by }), { amount: 600 });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  await bench.faults();
  const refused = (await listRefundsOfPix(db, [endToEndId])).find(({ origin }) => origin === 'service');
  t.match(refused, { state: 'failed', amount: 600 });
  t.ok(refused?.orderAgainAt);
  t.match(await orderRefundOfUnmatched(context, { endToEndId, by }), { replaces: refused!.id });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('what is left beside an order that replaced a refused one is ordered by itself', async (t) => {
  const { endToEndId } = await stray(newId());
  await timePasses(301);
  await reconcile(context);
  await bench.faults({ refuseRefunds: true });
  const first = await orderRefundOfUnmatched(context, { endToEndId, by });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  await bench.faults({ slowRefundsMs: 600_000 });
  t.match(await orderRefundOfUnmatched(context, { endToEndId, by }), { replaces: first!.id, amount: 1_000 });
  const ending = { slowMs: 60_000, refused: true };
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00', ...ending });
  for (let ask = 1; ask <= 2; ask += 1) {
    await carryOutRefunds(context, { limit: 2, endToEndId });
    await timePasses(20);
  }
  const states = async () =>
    (await listRefundsOfPix(db, [endToEndId])).map(({ amount, state }) => [amount, state]).sort();
  t.same(await states(), [
    [1_000, 'failed'],
    [400, 'processing'],
    [600, 'processing'],
  ]);
  await timePasses(300);
  await carryOutRefunds(context, { limit: 2, endToEndId });
  t.match(await orderRefundOfUnmatched(context, { endToEndId, by }), { amount: 400, replaces: null });
  await bench.faults();
  await timePasses(900);
  await carryOutRefunds(context, { limit: 3, endToEndId });
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a charge that the bank calls unknown for a while: its Pix is kept, then matched', async (t) => {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await bench.faults({ status: 404, only: ['getCob'] });
  const told = { txid: txidOf(payment!.id), endToEndIds: [endToEndId] };
  t.equal(await settleTold(context, [told]), 0, 'answered with 200: it is kept');
  t.match(await unmatched(), [{ endToEndId, reason: 'charge_unknown' }]);
  t.match(await problems(), [{ paymentId: payment!.id, error: { code: 'charge_unknown' } }]);
  await tryAgain();
  t.match(await problems(), [{ tries: 2 }]);
  await bench.faults();
  await tryAgain();
  t.equal((await bench.payment(payment!.id)).status, 'approved');
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a Pix whose own answer leaves the txid out is kept for the charge that was told', async (t) => {
  const { id, endToEndId } = await stray(newId());
  const bare = {
    ...bench.pix,
    getCharge: async () => null,
    getPix: async (one: string) => ({ ...(await bench.pix.getPix(one))!, txid: null }),
  };
  await settleTold({ ...context, pix: bare }, [{ txid: txidOf(id), endToEndIds: [endToEndId] }]);
  t.match(await unmatched(), [{ endToEndId, txid: txidOf(id), reason: 'charge_unknown' }]);
  await orderRefundOfUnmatched(context, { endToEndId, by });
  await carryOutRefunds(context, { limit: 1, endToEndId });
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a Pix that was refunded meanwhile approves nothing', async (t) => {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await bench.faults({ status: 404, only: ['getCob'] });
  await settleTold(context, [{ txid: txidOf(payment!.id), endToEndIds: [endToEndId] }]);
  await orderRefundOfUnmatched(context, { endToEndId, by });
  await bench.faults();
  await tryAgain();
  t.equal((await bench.payment(payment!.id)).status, 'pending');
  await carryOutRefunds(context, { limit: 1, paymentId: payment!.id });
  t.match(await bench.refundsAtBank(payment!.id), [{ valor: '10.00', status: 'DEVOLVIDO' }]);
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test(
  'a kept Pix that a person gave back whole closes its payment, and not as the bank’s return',
  async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    await bench.faults({ status: 404, only: ['getCob'] });
    await settleTold(context, [{ txid: txidOf(id), endToEndIds: [endToEndId] }]);
    await orderRefundOfUnmatched(context, { endToEndId, by });
    await carryOutRefunds(context, { limit: 1, endToEndId });
    await bench.faults();
    await tryAgain();
    const last = (await listHistory(db, id)).findLast(isOfStatus);
    t.match(last, { status: 'not_approved', actor: 'refund', reason: 'refunded' });
    t.match(await bench.refundsAtBank(id), [{ valor: '10.00', status: 'DEVOLVIDO' }]);
    t.same([await unmatched(), await problems()], [[], []]);
  },
);

t.test(
  'a Pix of which its bank took a part back while it was kept approves its payment with the rest',
  async (t) => {
    const [payment] = await bench.create(1);
    const endToEndId = await bench.pay(payment!);
    await bench.faults({ status: 404, only: ['getCob'] });
    await settleTold(context, [{ txid: txidOf(payment!.id), endToEndIds: [endToEndId] }]);
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
    await tryAgain();
    t.match(await listRefundsOfPix(db, [endToEndId]), [{ origin: 'bank', amount: 400, paymentId: null }]);
    await bench.faults();
    await tryAgain();
    t.match(await bench.payment(payment!.id), { status: 'approved', amount: 600 });
    t.match(await listRefundsOfPix(db, [endToEndId]), [{ origin: 'bank', paymentId: payment!.id }]);
    t.same([await unmatched(), await problems()], [[], []]);
  },
);

t.test('a Pix that its bank took back whole while it was kept closes its payment', async (t) => {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await bench.faults({ status: 404, only: ['getCob'] });
  await settleTold(context, [{ txid: txidOf(payment!.id), endToEndIds: [endToEndId] }]);
  await system.bank('/bank/refunds', { endToEndId, valor: '10.00' });
  await tryAgain();
  t.same(
    [(await bench.payment(payment!.id)).status, await unmatched()],
    ['pending', []],
    'the Pix went back',
  );
  await bench.faults();
  await tryAgain();
  t.equal((await bench.payment(payment!.id)).status, 'not_approved');
  t.match(await listPixReceived(db, payment!.id), [{ endToEndId, effect: 'returned' }]);
  t.same(await problems(), []);
});

t.test(
  'a kept Pix that went back whole approves nothing, though its charge does not show that',
  async (t) => {
    const [payment] = await bench.create(1);
    const endToEndId = await bench.pay(payment!);
    await bench.faults({ status: 404, only: ['getCob'] });
    await settleTold(context, [{ txid: txidOf(payment!.id), endToEndIds: [endToEndId] }]);
    await bench.faults();
    await system.bank('/bank/refunds', { endToEndId, valor: '10.00' });
    const bare = async (txid: string) => {
      const charge = await context.pix.getCharge(txid);
      return charge && { ...charge, pix: charge.pix.map((one) => ({ ...one, refunds: [] })) };
    };
    await tryAgain({ ...context, pix: { ...context.pix, getCharge: bare } });
    const statuses = (await listHistory(db, payment!.id)).filter(isOfStatus).map(({ status }) => status);
    t.same(statuses, ['pending', 'not_approved']);
    t.match(await listPixReceived(db, payment!.id), [{ endToEndId, effect: 'returned' }]);
  },
);

t.test('the totals count returns of unmatched Pix, and move with those that are matched', async (t) => {
  t.same(await findTotalsDifferences(db), []);
  const ofNobody = (await readTotals(db, { by: 'store' })).find(({ key }) => key === null);
  t.equal(ofNobody?.refundedAmount, 6_000);
});

t.test('a charge that the bank refuses to show stops neither other charges nor the cursor', async (t) => {
  await reconcile(context);
  const payments = await bench.create(2);
  for (const payment of payments) await bench.pay(payment);
  await bench.faults({ status: 403, only: ['getCob'], times: 1 });
  t.equal(await reconcile(context), 1);
  t.match(await problems(), [{ work: 'settle' }]);
  await bench.faults();
  await tryAgain();
  for (const { id } of payments) t.equal((await bench.payment(id)).status, 'approved');
});
