import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { reduceRefund } from '@payments/database/refunds/claims';
import { listRefunds, listRefundsOfPix } from '@payments/database/refunds/refunds';
import { txidOf } from '@payments/domain/identifiers';
import type { Charge, PixClient, ReceivedPix } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { pauseOn } from '@payments/testing/pause';
import t from 'tap';
import { looksUntilBelieved } from '../src/answers.ts';
import { settleSetAside } from '../src/charges/settle-set-aside.ts';
import { reconcile } from '../src/days/reconcile.ts';
import { decide } from '../src/decide.ts';
import { settleCharge } from '../src/pix/settle-charge.ts';
import { settleTold } from '../src/pix/settle-told.ts';
import { orderRefundOfUnmatched } from '../src/pix/unmatched.ts';
import { carryOutRefunds } from '../src/refunds/carry-out.ts';
import { orderRefund } from '../src/refunds/order-refund.ts';
import { orderRefusedAgain } from '../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from './at-bank.ts';

// One answer proves nothing, and money leaves only when the bank and the books agree.
const bench = await openBench(t, async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)));
const { context, db, system, pix } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const told = (id: string, endToEndIds: string[] = []) => [{ txid: txidOf(id), endToEndIds }];
let offset = 0;

function timePasses(seconds: number) {
  bench.advance(seconds);
  offset += seconds;
  system.simulator.bank.clock.setOffset(offset * 1_000);
}

/** A context whose bank answers some calls otherwise. */
const where = (other: Partial<PixClient>) => {
  const client = { ...pix, ...other };
  const bank = { ...context.banks.find(context.bank)!, client };
  return { ...context, pix: client, banks: { all: () => [bank], find: () => bank } };
};
const bare = (one: ReceivedPix) => ({ ...one, refunds: [] });
const readCob = async (txid: string, show: (one: ReceivedPix) => ReceivedPix) => {
  const charge = await pix.getCharge(txid);
  return charge && { ...charge, pix: charge.pix.map(show) };
};
const noReturnInCharge = { getCharge: (txid: string) => readCob(txid, bare) };
const noReturnAnywhere = where({
  ...noReturnInCharge,
  getPix: async (id) => bare((await pix.getPix(id))!),
});

async function approved() {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await settleTold(context, told(payment!.id, [endToEndId]));
  return { id: payment!.id, endToEndId };
}

/** An approved payment of which the bank is taking all back. */
async function beingTakenBack() {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, slowMs: 600_000 });
  await settleTold(context, told(id));
  return { id, endToEndId };
}

const statesOf = async (id: string) => (await listRefunds(db, id)).map(({ state }) => state);

async function look(at: typeof context, id: string) {
  // The longest pause between questions; the bank's clock stands still.
  bench.advance(3_601);
  await carryOutRefunds(at, { limit: 10, paymentId: id });
  return statesOf(id);
}

t.test('a return in process that one place does not show is read in the other', async (t) => {
  const { id } = await beingTakenBack();
  for (let looks = 1; looks <= looksUntilBelieved; looks += 1)
    t.same(await look(where(noReturnInCharge), id), ['processing']);
});

t.test('a return that nothing shows has failed after several looks in a row', async (t) => {
  const { id } = await beingTakenBack();
  for (let looks = 1; looks < looksUntilBelieved; looks += 1)
    t.same(await look(noReturnAnywhere, id), ['processing']);
  await settleTold(context, told(id));
  t.same(await look(noReturnAnywhere, id), ['processing'], 'it was shown meanwhile: the looks begin anew');
  const refused = await decide(context, { paymentId: id, to: 'paid', by }).catch(
    (error: Error) => error.name,
  );
  t.equal(refused, 'TransitionRefused', 'no payout in doubt');
  for (let looks = 1; looks <= looksUntilBelieved; looks += 1) await look(noReturnAnywhere, id);
  t.match(await listRefunds(db, id), [{ state: 'failed', concluded: true }]);
});

t.test('a bank that hides the Pix says nothing of its return', async (t) => {
  const { id } = await beingTakenBack();
  const hidden = where({
    getCharge: async (txid) => ({ ...(await pix.getCharge(txid))!, pix: [] }),
    getPix: async () => null,
  });
  for (let looks = 0; looks <= looksUntilBelieved; looks += 1) t.same(await look(hidden, id), ['processing']);
});

const usedId = new PixRefused('requestRefund', 400, { type: null, detail: 'id in use' });

t.test('a bank that hides the Pix says nothing of our refund, whose answer was lost', async (t) => {
  const { id } = await approved();
  await orderRefund(context, { paymentId: id, amount: 300, by });
  const lost = where({
    requestRefund: async (...refund) => {
      await pix.requestRefund(...refund);
      throw new PixUnavailable('requestRefund', 'timeout');
    },
  });
  t.same(await look(lost, id), ['requested']);
  const hidden = where({
    getRefund: async () => null,
    requestRefund: () => Promise.reject(usedId),
    getCharge: async (txid) => ({ ...(await pix.getCharge(txid))!, pix: [] }),
    getPix: async () => null,
  });
  for (let looks = 0; looks <= looksUntilBelieved; looks += 1) t.same(await look(hidden, id), ['requested']);
  t.same(await look(context, id), ['refunded'], 'it is found, and not made again');
  t.equal((await bench.refundsAtBank(id)).length, 1);
});

t.test('a refund’s answer with another amount than was ordered is not believed: the Pix tells', async (t) => {
  for (const [answers, known] of [
    [noReturnInCharge, 'requested'],
    [{}, 'refunded'],
  ] as const) {
    const { id } = await approved();
    await orderRefund(context, { paymentId: id, amount: 300, by });
    const wrong = where({
      ...answers,
      requestRefund: async (...refund) => ({ ...(await pix.requestRefund(...refund)), amount: 1_000 }),
    });
    t.same(await look(wrong, id), [known]);
    t.equal((await bench.payment(id)).status, 'approved');
    await look(context, id);
    t.match(await listRefunds(db, id), [{ state: 'refunded', amount: 300 }]);
    t.match(await bench.payment(id), { status: /^approved$/, amount: 700 });
    t.equal((await bench.refundsAtBank(id)).length, 1);
  }
});

/** A refund that the bank makes, and refuses in its answer: nothing shows it yet. It is ordered anew. */
async function orderedAnew(faults: Record<string, unknown> = {}) {
  const { id } = await approved();
  await orderRefund(context, { paymentId: id, amount: 300, by });
  await bench.faults(faults);
  const refusing = where({
    ...noReturnInCharge,
    requestRefund: async (...refund) => {
      await pix.requestRefund(...refund);
      throw usedId;
    },
    getPix: async (endToEndId) => bare((await pix.getPix(endToEndId))!),
  });
  t.same(await look(refusing, id), ['failed']);
  await bench.faults();
  bench.advance(61);
  await orderRefusedAgain(context, 10);
  t.same(await statesOf(id), ['failed', 'requested']);
  return id;
}

t.test(
  'a refund that was ordered anew gives way to the first one, which the bank made after all',
  async (t) => {
    const id = await orderedAnew();
    t.same(await look(context, id), ['refunded', 'failed']);
    bench.advance(100_000);
    await orderRefusedAgain(context, 10);
    await look(context, id);
    t.match(await bench.refundsAtBank(id), { length: 1, 0: { valor: '3.00' } });
    t.match(await bench.payment(id), { status: 'approved', amount: 700 });
    t.match((await listRefunds(db, id))[1], { owed: null, lastError: { code: 'returned_already' } });
    t.equal((await decide(context, { paymentId: id, to: 'paid', by }))?.status, 'paid');
  },
);

t.test('a refund that was ordered anew waits while the bank is making the first one', async (t) => {
  const id = await orderedAnew({ slowRefundsMs: 600_000, refuseRefunds: true });
  t.same(await look(context, id), ['processing', 'requested']);
  t.same(await look(context, id), ['processing', 'requested']);
  t.equal((await bench.refundsAtBank(id)).length, 1);
  timePasses(700);
  await look(context, id);
  t.same(await look(context, id), ['failed', 'refunded'], 'the bank did not make that one');
  t.match(await bench.payment(id), { amount: 700 });
});

for (const [word, seconds, state, status] of [
  ['EM_PROCESSAMENTO', 0, 'processing', 'approved'],
  ['DEVOLVIDO', 700, 'refunded', 'not_approved'],
] as const)
  t.test(`${word} revives a failure that the service concluded`, async (t) => {
    const { id } = await beingTakenBack();
    for (let looks = 1; looks <= looksUntilBelieved; looks += 1) await look(noReturnAnywhere, id);
    t.same(await statesOf(id), ['failed']);
    timePasses(seconds);
    await settleTold(context, told(id));
    t.same(await statesOf(id), [state]);
    t.equal((await bench.payment(id)).status, status);
  });

t.test('an order that was reduced to nothing and that the bank is making all the same revives', async (t) => {
  const { id, endToEndId } = await approved();
  const order = await orderRefund(context, { paymentId: id, amount: undefined, by });
  await reduceRefund(db, order!, { amount: 0, now: context.now() });
  await bench.faults({ slowRefundsMs: 600_000 });
  await pix.requestRefund(endToEndId, order!.id, 1_000);
  await bench.faults();
  await settleTold(context, told(id));
  t.same(await statesOf(id), ['processing']);
  await t.rejects(decide(context, { paymentId: id, to: 'paid', by }), /returnUnderWay/);
});

t.test('the bank’s own refusal of a return stays, whatever an old answer says', async (t) => {
  const { id, endToEndId } = await approved();
  await bench.faults({ refuseRefunds: true });
  await system.bank('/bank/refunds', { endToEndId });
  await bench.faults();
  await settleTold(context, told(id));
  t.same(await statesOf(id), ['failed']);
  const old = (one: ReceivedPix) => ({
    ...one,
    refunds: one.refunds.map((refund) => ({ ...refund, status: 'EM_PROCESSAMENTO' as const })),
  });
  await settleTold(where({ getCharge: (txid) => readCob(txid, old) }), told(id));
  t.same(await statesOf(id), ['failed']);
  t.equal((await decide(context, { paymentId: id, to: 'paid', by }))?.status, 'paid');
});

for (const to of ['paid', 'withdrawal_processing'] as const)
  t.test(`a move to ${to} asks the bank, which took the money back without a word`, async (t) => {
    const { id, endToEndId } = await approved();
    if (to === 'withdrawal_processing') await decide(context, { paymentId: id, to: 'paid', by });
    await system.bank('/bank/refunds', { endToEndId });
    const decision = { paymentId: id, to, by };
    await t.rejects(decide(where(noReturnInCharge), decision), { name: 'TransitionRefused' });
    t.match(await listRefunds(db, id), [{ origin: 'bank', state: 'refunded' }], 'GET /pix says it');
    t.equal((await bench.payment(id)).status, 'not_approved');
  });

t.test('no payout without an answer, nor while something that was told is not on record', async (t) => {
  const { id, endToEndId } = await approved();
  const decision = { paymentId: id, to: 'paid' as const, by };
  const silent = () => Promise.reject(new PixUnavailable('getCharge', 'timeout'));
  await t.rejects(decide(where({ getCharge: silent }), decision), { code: 'PIX_UNAVAILABLE' });
  await t.rejects(decide(where({ getPix: silent }), decision), { code: 'PIX_UNAVAILABLE' });
  await t.rejects(decide(where({ getCharge: async () => null }), decision), /chargeUnknown/);
  const returns = [{ endToEndId, id: 'D1', state: 'processing' as const }];
  await settleTold(context, [{ txid: txidOf(id), endToEndIds: [], returns }]);
  await t.rejects(decide(context, decision), /inDoubt/);
  t.equal((await bench.payment(id)).status, 'approved');
  await db.deleteFrom('chargeProblems').execute();
  t.equal((await decide(context, decision))?.status, 'paid');
});

for (const [what, other] of [
  [
    'shows the Pix nowhere',
    {
      getCharge: async (txid: string) => ({ ...(await pix.getCharge(txid))!, pix: [] }),
      getPix: async () => null,
    },
  ],
  ['does not know the Pix that its charge shows', { ...noReturnInCharge, getPix: async () => null }],
] as const)
  t.test(`no payout while the bank ${what}`, async (t) => {
    const { id } = await approved();
    await t.rejects(decide(where(other), { paymentId: id, to: 'paid', by }), /inDoubt/);
    t.equal((await bench.payment(id)).status, 'approved');
  });

for (const [what, code, change] of [
  ['another receiver’s key', 'key_differs', (charge: Charge) => ({ ...charge, key: 'someone@else.example' })],
  [
    'a Pix for another receiver’s key',
    'key_differs',
    (charge: Charge) => ({
      ...charge,
      pix: charge.pix.map((one) => ({ ...one, key: 'someone@else.example' })),
    }),
  ],
  ['another amount', 'amount_differs', (charge: Charge) => ({ ...charge, amount: charge.amount - 1 })],
] as const)
  t.test(`a charge that shows ${what} approves nothing`, async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    const getCharge = async (txid: string) => change((await pix.getCharge(txid))!);
    await settleTold(where({ getCharge }), told(id, [endToEndId]));
    t.equal((await bench.payment(id)).status, 'pending');
    t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code } }]);
    timePasses(11);
    await settleSetAside(context, { limit: 10, leaseMs: 1_000 });
    t.equal((await bench.payment(id)).status, 'approved');
  });

/** A Pix of a known payment that was kept, since its charge did not show it. */
async function kept() {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  await settleTold(where({ getCharge: (txid) => readCob(txid, bare).then((c) => c && { ...c, pix: [] }) }), [
    { txid: txidOf(id), endToEndIds: [endToEndId] },
  ]);
  return { id, endToEndId };
}

t.test('a person’s refund of an unmatched Pix and its match: one of them comes first', async (t) => {
  const { id, endToEndId } = await kept();
  const pause = await pauseOn(system.env.DATABASE_URL!, 'before insert on refunds');
  const ordering = orderRefundOfUnmatched(context, { endToEndId, by });
  await pause.reached();
  const matching = settleCharge(context, id, await chargeOf(bench, id));
  await pause.waiters(2);
  await pause.end();
  await Promise.all([ordering, matching]);
  t.equal((await bench.payment(id)).status, 'pending', 'money that goes back approves nothing');
  await carryOutRefunds(context, { limit: 10, paymentId: id });
  t.match(await bench.refundsAtBank(id), [{ valor: '10.00', status: 'DEVOLVIDO' }]);
});

t.test('a MED of an unmatched Pix and its match: the payment has what is left', async (t) => {
  const { id, endToEndId } = await kept();
  const before = await chargeOf(bench, id);
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const pause = await pauseOn(system.env.DATABASE_URL!, 'before insert on refunds');
  timePasses(11);
  const learning = settleSetAside(context, { limit: 10, leaseMs: 1_000 });
  await pause.reached();
  const matching = settleCharge(context, id, before);
  await pause.waiters(2);
  await pause.end();
  await Promise.all([learning, matching]);
  await reconcile(context);
  const [refund] = await listRefundsOfPix(db, [endToEndId]);
  t.match(refund, { origin: 'bank', amount: 400, state: 'refunded', paymentId: id });
  const { status, amount } = await bench.payment(id);
  t.same([status, amount], ['approved', 600], 'as of a Pix that was in its place all the time');
});
