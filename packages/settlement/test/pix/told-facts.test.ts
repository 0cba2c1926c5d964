import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { isOfStatus, listHistory } from '@payments/database/payments/history';
import { listRefunds, listRefundsOfPix } from '@payments/database/refunds/refunds';
import { txidOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import t from 'tap';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { reconcile, reconcileReturned } from '../../src/days/reconcile.ts';
import { decide } from '../../src/decide.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { openTold } from './as-told.ts';

// Whatever the bank told is on record in the end, or shown until it is, whichever of its answers lag, hide or fail.
const { bench, where, showing, timePasses, callbackOf, listOf, tryAgain, approved, lost, ...told } =
  await openTold(t);
const { withoutReturns, withoutPix, unmatched, problems } = told;
const { context, db, system, pix } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const unread = () => new PixUnavailable('getPix', 'unreadable', 'pix.valor', 200);
const silent = () => Promise.reject(new PixUnavailable('getCharge', 'status', 'busy', 503));

t.test('a told return that the charge does not show is read from its Pix', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(withoutReturns, await callbackOf(id));
  t.match(await listRefunds(db, id), [{ origin: 'bank', state: 'refunded', amount: 400 }]);
  t.equal((await bench.payment(id)).amount, 600);
  t.same(await problems(), []);
});

t.test('a Pix whose id the bank gives in another case is that Pix', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  const inCapitals = (one: { endToEndId?: unknown }) => ({
    ...one,
    endToEndId: String(one.endToEndId).toUpperCase(),
  });
  await settleTold(context, await callbackOf(id, inCapitals));
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(context, await callbackOf(id, inCapitals));
  const capitals = showing((all) => all.map((one) => ({ ...one, ...inCapitals(one) })));
  await settleTold(capitals, await callbackOf(id));
  await reconcile(await listOf(id, inCapitals));
  t.match(await bench.payment(id), { status: 'approved', amount: 600 });
  t.match(await listPixReceived(db, id), [{ endToEndId, effect: 'approved' }]);
  t.equal((await listRefunds(db, id)).length, 1);
  t.same(await problems(), []);
  await decide(context, { paymentId: id, to: 'paid', by });
  t.match(await bench.payment(id), { status: 'paid', amount: 600 });
});

t.test(
  'a Pix that is first told in another case, while its charge lags, is kept once and then approves',
  async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    const capitals = endToEndId.toUpperCase();
    const asAsked = async (asked: string) => {
      const pix = await context.pix.getPix(endToEndId);
      return pix && { ...pix, endToEndId: asked };
    };
    const lagging = where({ getCharge: withoutPix.pix.getCharge, getPix: asAsked });
    const told = (named: string) => [{ txid: txidOf(id), endToEndIds: [named] }];
    await settleTold(lagging, told(capitals));
    await settleTold(lagging, told(endToEndId));
    const kept = () =>
      db
        .selectFrom('pixReceived')
        .select(['endToEndId', 'unmatched'])
        .where('txid', '=', txidOf(id))
        .execute();
    t.same(await kept(), [{ endToEndId: capitals, unmatched: 'not_in_charge' }], 'once');
    await settleTold(context, await callbackOf(id));
    t.match(await bench.payment(id), { status: 'approved', amount: 1_000 });
    t.same(await kept(), [{ endToEndId: capitals, unmatched: null }], 'it is the payment’s');
    await tryAgain(context);
    t.same(await problems(), []);
    await settleTold(where({ getCharge: async () => null, getPix: asAsked }), told(endToEndId.toLowerCase()));
    t.equal((await kept()).length, 1, 'nor is an approved one kept, while the bank does not know its charge');
    await tryAgain();
    t.same(await problems(), []);
  },
);

t.test('a callback that reaches another bank’s address is over once its Pix is on record', async (t) => {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  const told = await callbackOf(payment!.id, ({ chave, ...entry }) => entry);
  const nothing = { getCharge: async () => null, getPix: async () => null };
  const elsewhere = { ...where(nothing), bank: 'another' };
  await settleTold(elsewhere, told);
  t.match(await listChargeProblemsOf(db, payment!.id), [
    { bank: 'another', error: { code: 'charge_unknown' } },
  ]);
  await tryAgain(elsewhere);
  t.match(await problems(), [{ tries: 2 }], 'while it is not');
  await settleTold(context, told);
  await tryAgain(elsewhere);
  t.same(await problems(), []);
  t.equal((await bench.payment(payment!.id)).status, 'approved');
});

t.test('a Pix that is told with its return approves nothing, though the charge lags', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  await system.bank('/bank/refunds', { endToEndId });
  await settleTold(withoutReturns, await callbackOf(id));
  const statuses = (await listHistory(db, id)).filter(isOfStatus).map(({ status }) => status);
  t.same(statuses, ['pending', 'not_approved']);
  t.same(await problems(), []);
});

t.test('a Pix on record is read also where GET /pix names no charge', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const getPix = async (e: string) => ({ ...(await pix.getPix(e))!, txid: null });
  await settleTold({ ...context, pix: { ...withoutReturns.pix, getPix } }, await callbackOf(id));
  t.equal((await bench.payment(id)).amount, 600);
  t.same(await problems(), []);
});

t.test('a told return that the bank shows nowhere is a problem until it is on record', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const bare = (one: ReceivedPix | null) => one && { ...one, refunds: [] };
  const nowhere = { ...withoutReturns.pix, getPix: async (e: string) => bare(await pix.getPix(e)) };
  await settleTold({ ...context, pix: nowhere }, await callbackOf(id));
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'return_not_in_charge' } }]);
  await tryAgain({ ...context, pix: nowhere });
  t.match(await listChargeProblemsOf(db, id), [{ tries: 2 }], 'a good answer that lacks it ends nothing');
  await tryAgain();
  t.equal((await bench.payment(id)).amount, 600);
  t.same(await problems(), []);
});

t.test('what the bank tells while it can’t be asked is kept, and the callback is refused', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId });
  await t.rejects(settleTold(where({ getCharge: silent }), await callbackOf(id)), {
    code: 'PIX_UNAVAILABLE',
  });
  t.match(await listChargeProblemsOf(db, id), [
    { work: 'settle', error: { code: 'status', detail: 'busy' } },
  ]);
  await tryAgain();
  t.equal((await bench.payment(id)).status, 'not_approved');
  t.same(await problems(), []);
});

t.test('a list’s return that no charge shows is read from its Pix, also weeks later', async (t) => {
  const { id, endToEndId } = await approved();
  timePasses(20 * 86_400);
  await system.bank('/bank/refunds', { endToEndId, valor: '2.50' });
  await reconcileReturned(withoutReturns);
  t.equal((await bench.payment(id)).amount, 750);
});

t.test('what is told of a charge that is set aside is kept with it, and makes it due', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  await bench.pay(payment!);
  await settleTold(withoutPix, await callbackOf(id));
  const second = await bench.pay(payment!);
  await reconcile(withoutPix);
  t.equal(await settleSetAside(context, { limit: 50, leaseMs: 1_000 }), 1, 'due at once');
  t.equal((await bench.payment(id)).status, 'approved');
  t.match(await listRefunds(db, id), [{ endToEndId: second, reason: 'second_pix' }]);
  t.same(await problems(), []);
});

t.test('a problem that grew while it was settled is not ended', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  await settleTold(withoutPix, await callbackOf(id));
  const withReturn = { endToEndId, id: 'D1', state: 'processing' as const };
  const meanwhile = where({
    getCharge: async (txid) => {
      const charge = await pix.getCharge(txid);
      await settleTold(withoutPix, [{ txid, endToEndIds: [], returns: [withReturn] }]);
      return charge;
    },
  });
  await tryAgain(meanwhile);
  t.equal((await bench.payment(id)).status, 'approved');
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle' }], 'the return is not on record');
  await db.deleteFrom('chargeProblems').execute();
});

t.test('an entry that can’t be read names its charge all the same', async (t) => {
  const odd = { valor: '10,00', nothing: undefined };
  for (const [what, change] of [
    ['an amount', (entry: object) => ({ ...entry, valor: odd.valor })],
    ['no time, and letters in the id', (entry: object) => ({ ...entry, horario: odd.nothing })],
    ['no id', (entry: object) => ({ ...entry, endToEndId: odd.nothing })],
  ] as const) {
    const [payment] = await bench.create(1);
    await bench.pay(payment!);
    await settleTold(context, await callbackOf(payment!.id, change));
    t.equal((await bench.payment(payment!.id)).status, 'approved', what);
  }
});

t.test('an entry that can’t be read tells its returns all the same', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '3.00' });
  const bare = (one: ReceivedPix | null) => one && { ...one, refunds: [] };
  const nowhere = { ...withoutReturns.pix, getPix: async (e: string) => bare(await pix.getPix(e)) };
  const odd = await callbackOf(id, (entry) => ({ ...entry, valor: '10,00' }));
  await settleTold({ ...context, pix: nowhere }, odd);
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'return_not_in_charge' } }]);
  await tryAgain();
  t.equal((await bench.payment(id)).amount, 700);
  t.same(await problems(), []);
});

t.test(
  'a listed Pix that can’t be read is settled by its charge; one that is odd there, too, is shown',
  async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    const entry = { endToEndId, txid: txidOf(id), key: null };
    const listPix = async () => ({ pix: [], pages: 1, unreadable: [entry] });
    const unreadable = () => Promise.reject(new PixUnavailable('getCharge', 'unreadable', 'pix.valor', 200));
    await reconcile(where({ listPix, getCharge: unreadable }));
    t.match(await listChargeProblemsOf(db, id), [
      { work: 'settle', error: { code: 'unreadable', detail: 'pix.valor' } },
    ]);
    await tryAgain();
    t.equal((await bench.payment(id)).status, 'approved');
    t.same(await problems(), []);
  },
);

for (const [what, odd] of [
  ['a return', {}],
  ['a return of a Pix that can’t be read', { valor: '10,00' }],
] as const)
  t.test(`${what} whose entry names no charge is of the Pix on record`, async (t) => {
    const { id, endToEndId } = await approved();
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
    await reconcile(await listOf(id, ({ txid, ...entry }) => ({ ...entry, ...odd })));
    t.equal((await bench.payment(id)).amount, 600);
    t.same(await problems(), []);
  });

t.test('a Pix for a key that the bank had before is shown until it can be settled', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  await bench.pay(payment!);
  const key = 'former@example.com';
  const listed = await listOf(id, (entry) => ({ ...entry, chave: key }));
  const getCharge = async (txid: string) => ({ ...(await pix.getCharge(txid))!, key });
  await reconcile({ ...listed, pix: { ...listed.pix, getCharge } });
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'key_differs' } }]);
  await tryAgain();
  t.equal((await bench.payment(id)).status, 'approved');
  t.same(await problems(), []);
});

t.test('a payment goes on after the bank’s key has changed', async (t) => {
  const { id, endToEndId } = await approved();
  const changed = where({ key: 'new@example.com' });
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await reconcile(changed);
  t.equal((await bench.payment(id)).amount, 600, 'its return is known');
  const bank = { ...context.banks.find(context.bank)!, client: changed.pix };
  const former = { ...bank, id: 'former', client: pix };
  for (const all of [[bank], [bank, former]]) {
    const banks = { all: () => all, find: (one: string) => all.find((each) => each.id === one) };
    const to = all.length === 1 ? 'paid' : 'withdrawal_processing';
    t.equal((await decide({ ...changed, banks }, { paymentId: id, to, by }))?.status, to);
  }
  t.same(await problems(), []);
});

t.test('a return whose entry names no charge, and the key of before, is of the Pix on record', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const { pix: listing } = await listOf(id, ({ txid, ...entry }) => ({ ...entry, chave: pix.key }));
  const { listPix } = listing;
  await reconcile(where({ listPix, key: 'new@example.com' }));
  t.equal((await bench.payment(id)).amount, 600);
  t.same(await problems(), []);
});

t.test('a return that a person’s decision met, and nobody can read, is shown as a problem', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId });
  const odd = (one: ReceivedPix) => ({ ...one, refunds: [], oddRefunds: one.refunds.length });
  const unnamed = where({
    getCharge: async (txid) => {
      const charge = (await pix.getCharge(txid))!;
      return { ...charge, pix: charge.pix.map(odd) };
    },
    getPix: async (one) => odd((await pix.getPix(one))!),
  });
  const bank = { ...context.banks.find(context.bank)!, client: unnamed.pix };
  const banks = { all: () => [bank], find: () => bank };
  const decision = decide({ ...unnamed, banks }, { paymentId: id, to: 'paid', by });
  await t.rejects(decision, { message: 'inDoubt' });
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'return_unreadable' } }]);
  await tryAgain();
  t.match(await bench.payment(id), { status: /^not_approved$/ });
  t.same(await problems(), []);
});

t.test('a kept Pix that can’t be asked for does not hold up its charge', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  await bench.pay(payment!);
  await settleTold(withoutPix, await callbackOf(id));
  await tryAgain(where({ getPix: silent }));
  t.equal((await bench.payment(id)).status, 'approved');
  t.same(await problems(), []);
});

for (const [what, show] of [
  ['is read by itself', {}],
  ['is shown as a problem, where nobody can read it', { getPix: () => Promise.reject(unread()) }],
] as const)
  t.test(`a Pix that can’t be read hides no other of its charge, and ${what}`, async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const first = await bench.pay(payment!);
    timePasses(1);
    const second = await bench.pay(payment!);
    const getCharge = async (txid: string) => {
      const charge = (await pix.getCharge(txid))!;
      const oddPix = [{ endToEndId: second, txid, key: null }];
      return { ...charge, pix: charge.pix.filter((one) => one.endToEndId === first), oddPix };
    };
    await settleTold(where({ getCharge, ...show }), await callbackOf(id));
    t.equal((await bench.payment(id)).status, 'approved');
    const isRead = !('getPix' in show);
    t.match(await listRefunds(db, id), isRead ? [{ endToEndId: second, reason: 'second_pix' }] : []);
    const shown = isRead ? [] : [{ work: 'settle', error: { code: 'pix_unreadable' } }];
    t.match(await listChargeProblemsOf(db, id), shown);
    await tryAgain();
    t.match(await listRefunds(db, id), [{ endToEndId: second }]);
    t.same(await problems(), []);
  });

for (const [what, isUnnamed] of [
  ['alone', (at: number) => at === 1],
  ['as those beside it', () => true],
] as const)
  t.test(`a second return is told without an id, ${what}: it waits until the bank shows it`, async (t) => {
    const { id, endToEndId } = await approved();
    await system.bank('/bank/refunds', { endToEndId, valor: '2.00' });
    await settleTold(context, await callbackOf(id));
    const first = (one: ReceivedPix) => ({ ...one, refunds: one.refunds.slice(0, 1) });
    await system.bank('/bank/refunds', { endToEndId, valor: '3.00' });
    const getPix = async (e: string) => first((await pix.getPix(e))!);
    const lagging = { ...context, pix: { ...showing((all) => all.map(first)).pix, getPix } };
    const told = await callbackOf(id, (entry) => {
      const devolucoes = entry.devolucoes as object[];
      const unnamed = devolucoes.map((one, at) => (isUnnamed(at) ? { ...one, id: undefined } : one));
      return { ...entry, devolucoes: unnamed };
    });
    await settleTold(lagging, told);
    t.match(await problems(), [{ paymentId: id, error: { code: 'return_not_in_charge' } }]);
    await tryAgain();
    t.same(await problems(), []);
    t.match(await listRefunds(db, id), [{ amount: 200 }, { amount: 300 }]);
    t.equal((await bench.payment(id)).amount, 500);
  });

t.test('a return without an id in the charge is not read by a copy of its Pix that lags', async (t) => {
  const { id, endToEndId } = await approved();
  const told = await callbackOf(id);
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const odd = showing((all) => all.map((one) => ({ ...one, refunds: [], oddRefunds: 1 })));
  const getPix = async (e: string) => ({ ...(await pix.getPix(e))!, refunds: [] });
  await settleTold({ ...context, pix: { ...odd.pix, getPix } }, told);
  t.match(await problems(), [{ paymentId: id, error: { code: 'return_unreadable' } }]);
  await tryAgain(odd);
  t.same(await problems(), []);
  t.equal((await bench.payment(id)).amount, 600, 'GET /pix shows it later');
});

t.test('a kept Pix that went back whole ends its problem, though that was told without an id', async (t) => {
  const { id, pay } = await lost();
  const endToEndId = await pay();
  await settleTold(context, await callbackOf(id));
  t.same(await unmatched(), [endToEndId]);
  await system.bank('/bank/refunds', { endToEndId });
  const dropIds = ({ devolucoes, ...entry }: Record<string, unknown>) => ({
    ...entry,
    devolucoes: (devolucoes as object[]).map((one) => ({ ...one, id: undefined })),
  });
  await settleTold(context, await callbackOf(id, dropIds));
  await tryAgain();
  t.match(await listRefundsOfPix(db, [endToEndId]), [{ state: 'refunded', amount: 1_000 }]);
  t.same(await unmatched(), []);
  t.same(await problems(), []);
});

t.test('a return without an id neither hides its Pix nor is forgotten', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  await system.bank('/bank/refunds', { endToEndId, valor: '1.00' });
  const without = (one: ReceivedPix) => ({ ...one, refunds: [], oddRefunds: one.refunds.length });
  const odd = showing((all) => all.map(without));
  const alone = async (e: string) => without((await pix.getPix(e))!);
  const nowhere = { ...context, pix: { ...odd.pix, getPix: alone } };
  const dropId = (entry: Record<string, unknown>) => ({ ...entry, devolucoes: [{ valor: '1.00' }] });
  await settleTold(nowhere, await callbackOf(id, dropId));
  t.equal((await bench.payment(id)).status, 'approved');
  t.match(await listChargeProblemsOf(db, id), [{ work: 'settle', error: { code: 'return_unreadable' } }]);
  await tryAgain(nowhere);
  t.match(await listChargeProblemsOf(db, id), [{ tries: 2 }]);
  await tryAgain(odd);
  t.equal((await bench.payment(id)).amount, 900, 'GET /pix shows it');
  t.same(await problems(), []);
});

for (const [operation, at] of [
  ['GET /cob', where({ getCharge: silent })],
  ['GET /pix', where({ getPix: silent })],
] as const)
  t.test(`each Pix of a lost payment is kept, at once or after a failing ${operation}`, async (t) => {
    const { id, pay } = await lost();
    const first = await pay();
    await settleTold(at, await callbackOf(id)).catch(() => {});
    await tryAgain();
    t.ok((await unmatched()).includes(first));
    const second = await pay();
    await settleTold(context, await callbackOf(id));
    t.ok((await unmatched()).includes(second), 'a second payer’s, at once');
    timePasses(301);
    const third = await pay();
    await reconcile(context);
    await settleSetAside(context, { limit: 50, leaseMs: 1_000 });
    t.ok((await unmatched()).includes(third), 'one that only the list told of');
    t.match(await problems(), [{ txid: txidOf(id), error: { code: /^no_payment/ } }]);
    for (const endToEndId of [first, second]) await system.bank('/bank/refunds', { endToEndId });
    await tryAgain();
    t.same(await unmatched(), [third], 'until it has gone back');
    t.match(await listRefundsOfPix(db, [first]), [{ origin: 'bank', state: 'refunded' }]);
    await system.bank('/bank/refunds', { endToEndId: third });
    await tryAgain();
    t.same([await unmatched(), await problems()], [[], []]);
  });

t.test('a lost payment is created anew by the callback of its Pix', async (t) => {
  const { id, pay } = await lost();
  await pay();
  await settleTold({ ...context, recoversPayments: true }, await callbackOf(id));
  t.equal((await bench.payment(id)).status, 'approved');
  t.same([await unmatched(), await problems()], [[], []]);
});
