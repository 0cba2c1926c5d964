import { claimExpired } from '@payments/database/charges/charges';
import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { listRefunds, listRefundsOfPix } from '@payments/database/refunds/refunds';
import { txidOf } from '@payments/domain/identifiers';
import { PixUnavailable } from '@payments/pix/errors';
import { untilWaiting } from '@payments/testing/pause';
import { inSession } from '@payments/testing/sessions';
import t from 'tap';
import { expirePayment } from '../../src/charges/expire.ts';
import type { BankContext } from '../../src/context.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { followBankRefund, learnFromCharge } from '../../src/refunds/follow-bank-refund.ts';
import { openTold } from './as-told.ts';

// What the bank told counts also where it names no Pix, writes an id in another case, or has its old charges no more.
const { bench, where, showing, timePasses, callbackOf, listOf, tryAgain, approved, lost, ...told } =
  await openTold(t);
const { withoutPix, withoutReturns, unmatched, problems } = told;
const { context, db, system, pix } = bench;
const day = 86_400;
const withoutId = ({ endToEndId, ...entry }: Record<string, unknown>) => entry;
const statusOf = async (id: string) => (await bench.payment(id)).status;

async function pending() {
  const [payment] = await bench.create(1);
  return { id: payment!.id, endToEndId: await bench.pay(payment!) };
}

/** Checks the payments whose time is over, as a dispatcher does. */
async function checkExpired(as: BankContext) {
  const due = await claimExpired(db, { bank: as.bank, limit: 100, leaseMs: 15_000, now: as.now() });
  await Promise.all(due.map((payment) => expirePayment(as, payment)));
}

t.test('a listed Pix of ours without an id: its charge is read', async (t) => {
  const { id } = await pending();
  const listed = await listOf(id, withoutId);
  await reconcile(listed);
  t.equal(await statusOf(id), 'approved');
  const getCharge = async () => t.fail('it is not read again, once as many are on record');
  await reconcile({ ...listed, pix: { ...listed.pix, getCharge } } as never);
  t.same(await problems(), []);
});

t.test(
  'a Pix that is told without an id, while its charge lags, is shown until it is on record',
  async (t) => {
    const { id } = await pending();
    await settleTold(withoutPix, await callbackOf(id, withoutId));
    t.match(await problems(), [{ paymentId: id, error: { code: 'pix_not_in_charge' } }]);
    await tryAgain(withoutPix);
    t.match(await problems(), [{ tries: 2 }], 'an answer that lacks it ends nothing');
    const second = await bench.pay(await bench.payment(id));
    await reconcile({
      ...withoutPix,
      pix: { ...withoutPix.pix, listPix: (await listOf(id, withoutId)).pix.listPix },
    });
    await tryAgain(showing((all) => all.slice(0, 1)));
    t.equal(await statusOf(id), 'approved');
    t.equal((await problems()).length, 1, 'the list told of two');
    await tryAgain();
    t.match(await listRefunds(db, id), [{ endToEndId: second, reason: 'second_pix' }]);
    t.same(await problems(), []);
  },
);

t.test('a lost payment’s Pix that is told without an id is over once it has gone back', async (t) => {
  const { id, pay } = await lost();
  const endToEndId = await pay();
  await settleTold(context, await callbackOf(id, withoutId));
  t.same(await unmatched(), [endToEndId]);
  await system.bank('/bank/refunds', { endToEndId });
  await tryAgain();
  await tryAgain();
  t.same([await unmatched(), await problems()], [[], []]);
});

/** The charge shows no Pix, nor does anything else. */
const nowhere = where({
  getCharge: async (txid) => ({ ...(await pix.getCharge(txid))!, status: 'ATIVA', pix: [] }),
  getPix: async () => null,
});

t.test('an expired payment is not ended by one answer without the Pix that the bank told of', async (t) => {
  const { id } = await pending();
  await settleTold(nowhere, await callbackOf(id));
  timePasses(day + 121);
  for (const pause of [5, 10, 20]) {
    await checkExpired(nowhere);
    t.equal(await statusOf(id), 'pending');
    t.match(await listChargeProblemsOf(db, id), [
      { work: 'settle' },
      { work: 'expire', error: { code: 'pix_not_in_charge' } },
    ]);
    timePasses(pause);
  }
  await tryAgain();
  t.equal(await statusOf(id), 'approved');
  await tryAgain();
  t.same(await problems(), []);
});

t.test('nor is one kept open for ever by the word of a Pix that the bank shows nowhere', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = `E12345678202611251840${'a'.repeat(11)}`;
  await settleTold(context, [{ txid: txidOf(id), endToEndIds: [endToEndId] }]);
  timePasses(day + 121);
  for (const pause of [5, 10, 20, 0]) {
    t.equal(await statusOf(id), 'pending');
    await checkExpired(context);
    timePasses(pause);
  }
  t.equal(await statusOf(id), 'not_approved');
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'pix_not_in_charge' } }]);
  await db.deleteFrom('chargeProblems').execute();
});

for (const [what, none] of [
  ['has no more', async () => null],
  [
    'shows without an amount',
    () => Promise.reject(new PixUnavailable('getCharge', 'unreadable', 'valor', 200)),
  ],
] as const)
  t.test(`a return of a Pix whose charge the bank ${what} is read from the Pix`, async (t) => {
    const { id, endToEndId } = await approved();
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
    const archived = where({ getCharge: none });
    const bare = where({
      getCharge: none,
      getPix: async (one) => ({ ...(await pix.getPix(one))!, refunds: [] }),
    });
    await settleTold(bare, await callbackOf(id));
    t.equal((await problems()).length, 1, 'a Pix that lacks it proves nothing');
    await tryAgain(archived);
    t.equal((await bench.payment(id)).amount, 600);
    t.same(await problems(), []);
  });

t.test(
  'a lost payment’s Pix that is first told with its return is kept, where the bank has no charge',
  async (t) => {
    const { id, pay } = await lost();
    const endToEndId = await pay();
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
    const archived = where({ getCharge: async () => null });
    await settleTold(archived, await callbackOf(id));
    t.same(await unmatched(), [endToEndId]);
    t.match(await problems(), [{ txid: txidOf(id), error: { code: 'charge_unknown' } }]);
    await tryAgain(archived);
    t.match(await listRefundsOfPix(db, [endToEndId]), [{ origin: 'bank', amount: 400 }]);
    await system.bank('/bank/refunds', { endToEndId });
    await tryAgain(archived);
    t.same([await unmatched(), await problems()], [[], []]);
  },
);

t.test(
  'a return that an expiry check meets, and nobody can read, is shown until it is on record',
  async (t) => {
    const { id, endToEndId } = await pending();
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
    timePasses(day + 121);
    await checkExpired(showing((all) => all.map((one) => ({ ...one, refunds: [], oddRefunds: 1 }))));
    t.equal(await statusOf(id), 'approved');
    t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'return_unreadable' } }]);
    await tryAgain();
    t.equal((await bench.payment(id)).amount, 600);
    t.same(await problems(), []);
  },
);

t.test('a look of other work counts no try of what is set aside, and lengthens no pause', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const odd = showing((all) => all.map((one) => ({ ...one, refunds: [], oddRefunds: 1 })));
  const refund = { paymentId: id, endToEndId };
  await learnFromCharge(odd, refund);
  const first = await listChargeProblemsOf(db, id);
  t.match(first, [{ error: { code: 'return_unreadable' }, tries: 0 }]);
  bench.advance(5);
  await learnFromCharge(odd, refund);
  t.same(await listChargeProblemsOf(db, id), first);
  await tryAgain();
  t.equal((await bench.payment(id)).amount, 600);
  await learnFromCharge(odd, refund);
  t.same(await problems(), [], 'nor is shown what is on record');
});

t.test('a Pix that a look at a return meets in another payment’s charge is shown', async (t) => {
  const { id, endToEndId } = await approved();
  const other = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(context, await callbackOf(id));
  const [refund] = await listRefunds(db, id);
  const misplaced = (await pix.getPix(other.endToEndId))!;
  await followBankRefund(
    showing((all) => [...all, { ...misplaced, txid: txidOf(id) }]),
    refund!,
  );
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'pix_misplaced' } }]);
  await tryAgain();
  t.same(await problems(), [], 'until its charge is right');
});

t.test('a kept Pix that has gone back is not kept again under its id in another case', async (t) => {
  const { id, pay } = await lost();
  const endToEndId = await pay();
  await settleTold(context, await callbackOf(id));
  await system.bank('/bank/refunds', { endToEndId });
  await tryAgain();
  const small = (entry: Record<string, unknown>) => ({
    ...entry,
    endToEndId: String(entry.endToEndId).toLowerCase(),
  });
  const asAsked = where({
    getPix: async (one) => ({ ...(await pix.getPix(endToEndId))!, endToEndId: one, refunds: [] }),
  });
  await settleTold(asAsked, await callbackOf(id, small));
  await reconcile({ ...asAsked, pix: { ...asAsked.pix, listPix: (await listOf(id, small)).pix.listPix } });
  const kept = await db
    .selectFrom('pixReceived')
    .select('endToEndId')
    .where('txid', '=', txidOf(id))
    .execute();
  t.same(kept, [{ endToEndId }]);
  await tryAgain(asAsked);
  t.same([await unmatched(), await problems()], [[], []]);
});

t.test('a return whose id the bank gives in another case is that return', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(context, await callbackOf(id));
  const inCapitals = (one: object) => ({ ...one, id: (one as { id: string }).id.toUpperCase() });
  const capitals = showing((all) =>
    all.map((one) => ({ ...one, refunds: one.refunds.map((back) => ({ ...back, ...inCapitals(back) })) })),
  );
  const asCapitals = (entry: Record<string, unknown>) => ({
    ...entry,
    devolucoes: (entry.devolucoes as object[]).map(inCapitals),
  });
  await settleTold(capitals, await callbackOf(id, asCapitals));
  await settleTold(withoutReturns, await callbackOf(id, asCapitals));
  t.match(await listRefundsOfPix(db, [endToEndId]), [{ amount: 400 }]);
  t.equal((await listRefunds(db, id)).length, 1);
  t.equal((await bench.payment(id)).amount, 600);
  t.same(await problems(), []);
});

t.test('what a list tells of a charge that is settled meanwhile is settled, too', async (t) => {
  const { id } = await pending();
  await settleTold(withoutPix, await callbackOf(id));
  await settleTold(context, await callbackOf(id));
  const second = await bench.pay(await bench.payment(id));
  await inSession(system.env.DATABASE_URL!, async (other) => {
    await other.query('begin');
    await other.query('delete from charge_problems');
    const listing = reconcile(context);
    await untilWaiting(system.env.DATABASE_URL!, 1, 'charge_problems');
    await other.query('commit');
    await listing;
  });
  t.match(await listPixReceived(db, id), [{}, { endToEndId: second }]);
  t.same(await problems(), []);
});
