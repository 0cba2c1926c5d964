import { findCheckedDay } from '@payments/database/reconciliation/checked-days';
import type { Difference } from '@payments/domain/compare-day';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { newId, txidOf } from '@payments/domain/identifiers';
import type { Charge, ReceivedPix, UnreadablePix } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import t from 'tap';
import type { BankContext } from '../../src/context.ts';
import { checkDay, settleAndCheckDay } from '../../src/days/check-day.ts';
import { reconcile } from '../../src/days/reconcile.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { openBench } from '../at-bank.ts';

/** A bank's day with entries that can't be read, of other keys, and of charges that only the bank knows. */
const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, pix: bank, store, system } = bench;

/** Moves both clocks to noon of the next day: each test has a day of its own. */
let offsetMs = 0;
function nextNoon(): string {
  const now = context.now();
  const noon = startOf(addDays(dayOf(now), 1)).getTime() + 12 * 3_600_000;
  const seconds = Math.round((noon - now.getTime()) / 1_000);
  bench.advance(seconds);
  offsetMs += seconds * 1_000;
  system.simulator.bank.clock.setOffset(offsetMs);
  return dayOf(context.now());
}

type Listed = { pix: ReceivedPix[]; unreadable: UnreadablePix[] };
const unread = ({ endToEndId, txid, key }: ReceivedPix): UnreadablePix => ({ endToEndId, txid, key });

/** The bank as it shows its Pix otherwise. */
function showing(
  change: (one: ReceivedPix) => ReceivedPix | UnreadablePix,
  charges: (charge: Charge) => Charge = (charge) => charge,
): BankContext {
  const pix: BankContext['pix'] = {
    ...bank,
    listPix: async (range) => {
      const page = await bank.listPix(range);
      const shown: Listed = { pix: [], unreadable: [...page.unreadable] };
      for (const one of page.pix.map(change))
        'amount' in one ? shown.pix.push(one) : shown.unreadable.push(one);
      return { ...page, ...shown };
    },
    getCharge: async (txid) => {
      const charge = await bank.getCharge(txid);
      return charge && charges(charge);
    },
  };
  return { ...context, pix };
}

/** An approved payment. */
async function paid() {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  bench.advance(180);
  offsetMs += 180_000;
  system.simulator.bank.clock.setOffset(offsetMs);
  await reconcile(context);
  t.equal((await bench.payment(payment!.id)).status, 'approved');
  return { id: payment!.id, txid: txidOf(payment!.id), endToEndId };
}

/** A paid charge without a payment. */
async function lost(storeId?: string, txid = txidOf(newId())) {
  const terms = { amount: 50_000, expiresInSeconds: 86_400, ...(storeId && { storeId }) };
  const { copyAndPaste } = await bank.putCharge(txid, terms);
  const { body } = await system.bank('/bank/pay', { pixCopiaECola: copyAndPaste });
  return { txid, endToEndId: body.endToEndId as string };
}

/** @returns the differences of a day that has passed */
async function differencesOf(as: BankContext, day: string): Promise<Difference[]> {
  while (dayOf(context.now()) <= day) nextNoon();
  return (await checkDay(as, day)).differences;
}

t.test('a Pix that can’t be read is a difference of its own, and hides no other', async (t) => {
  const day = nextNoon();
  const [odd, good] = [await paid(), await paid()];
  const [ours, nameless, foreign] = [
    await lost(store.id),
    await lost(store.id),
    await lost(undefined, 'OUTROSISTEMA0000000000000001'),
  ];
  const oddOnes = [odd, ours, foreign].map(({ endToEndId }) => endToEndId);
  const as = showing((one) => {
    if (one.endToEndId === nameless.endToEndId) return { endToEndId: null, txid: null, key: null };
    return oddOnes.includes(one.endToEndId) ? unread(one) : one;
  });
  const { endToEndId, id: paymentId, txid } = odd;
  t.strictSame(
    byPix(await differencesOf(as, day)),
    byPix([
      { kind: 'unreadable', endToEndId, paymentId, txid, ourAmount: 1_000 },
      { kind: 'unreadable', endToEndId: ours.endToEndId, txid: ours.txid },
      { kind: 'unreadable' },
    ]),
  );
  const checked = await checkDay(as, day);
  t.match(checked.atBank, { pixCount: 1, pixAmount: 1_000 }, good.endToEndId);
  t.same(checked.others, { count: 1, amount: 0 });
});

t.test('a return that can’t be read stands on one day', async (t) => {
  const day = nextNoon();
  const { endToEndId, txid, id } = await paid();
  const madeOn = nextNoon();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const odd = { kind: 'refund_unreadable', endToEndId, paymentId: id, txid };
  for (const [name, at, days] of [
    [
      'of a time that the bank gives',
      () => [new Date(startOf(madeOn).getTime() + 13 * 3_600_000)],
      [[], [odd], []],
    ],
    ['of an unknown time: the Pix’s own day', () => [], [[odd], [], []]],
  ] as const) {
    const as = showing((one) => ({
      ...one,
      ...(one.refunds.length > 0 && { refunds: [], oddRefunds: 1, oddRefundsAt: [...at()] }),
    }));
    for (const [after, expected] of days.entries())
      t.strictSame(await differencesOf(as, addDays(day, after)), expected, `${name}, day ${after}`);
  }
});

t.test('our return of a Pix that can’t be read is in doubt, and not missing', async (t) => {
  const day = nextNoon();
  const { endToEndId, txid, id: paymentId } = await paid();
  const madeOn = nextNoon();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(context, [{ txid, endToEndIds: [endToEndId] }]);
  const as = showing((one) => (one.endToEndId === endToEndId ? unread(one) : one));
  t.match(await differencesOf(as, day), [{ kind: 'unreadable', endToEndId, paymentId, ourAmount: 1_000 }]);
  const [inDoubt, ...more] = await differencesOf(as, madeOn);
  t.match(inDoubt, { kind: 'refund_unreadable', endToEndId, paymentId, ourAmount: 400 });
  t.same(more, []);
});

t.test('the Pix of another key are another entry’s, or other money of the account', async (t) => {
  const day = nextNoon();
  const known = await paid();
  const strange = await lost(store.id);
  const to = (key: string) =>
    showing((one) =>
      one.endToEndId === strange.endToEndId ? { ...one, key } : { ...one, key: 'new@example.com' },
    );
  const { banks } = context;
  const second = { ...banks.all()[0]!, id: 'second', client: { ...bank, key: 'second@example.com' } };
  const both = { ...banks, all: () => [...banks.all(), second] };
  while (dayOf(context.now()) <= day) nextNoon();
  const own = await checkDay(to(bank.key.toUpperCase()), day);
  t.match(
    own.differences,
    [{ kind: 'missing_here', endToEndId: strange.endToEndId }],
    'ours, however it is written',
  );
  const elsewhere = await checkDay({ ...to('SECOND@example.com'), banks: both }, day);
  t.same([elsewhere.differences, elsewhere.others.count], [[], 0], 'of the second entry');
  const others = await checkDay(to('third@example.com'), day);
  t.same([others.differences, others.others], [[], { count: 1, amount: 50_000 }]);
  t.match(
    others.atBank,
    { pixCount: 1 },
    `on record, and ours though the entry has a new key: ${known.endToEndId}`,
  );
});

t.test('a list without keys: the charge says whose it is', async (t) => {
  const day = nextNoon();
  const strange = await lost(store.id);
  const keyed = (key: string | null) =>
    showing(
      (one) => ({ ...one, key: null }),
      (charge) => ({ ...charge, key }),
    );
  t.match(await differencesOf(keyed(bank.key), day), [
    { kind: 'missing_here', endToEndId: strange.endToEndId },
  ]);
  t.match(await differencesOf(keyed(null), day), [{ kind: 'missing_here' }]);
  const ofThird = await checkDay(keyed('third@example.com'), day);
  t.same([ofThird.differences, ofThird.others.count], [[], 1]);
});

t.test('a lost charge is a difference though the bank leaves our mark out', async (t) => {
  const day = nextNoon();
  await paid();
  const [marked, unmarked] = [await lost(store.id), await lost()];
  t.match(await differencesOf(context, day), [{ kind: 'missing_here', endToEndId: marked.endToEndId }]);
  t.match((await checkDay(context, day)).others, { count: 1 }, 'this bank repeats the mark');
  const forgetful = showing(
    (one) => one,
    (charge) => ({ ...charge, storeId: null }),
  );
  t.match(
    byPix(await differencesOf(forgetful, day)),
    byPix([marked, unmarked].map(({ endToEndId }) => ({ kind: 'missing_here' as const, endToEndId }))),
  );
});

t.test('a time that the list gives in another meaning moves no Pix to another day', async (t) => {
  const day = nextNoon();
  const { endToEndId } = await paid();
  // Thirteen hours: the evening before.
  const ofAnother = (one: ReceivedPix) =>
    one.endToEndId === endToEndId ? { ...one, paidAt: new Date(one.paidAt.getTime() - 13 * 3_600_000) } : one;
  t.same(await differencesOf(showing(ofAnother), day), []);
  t.same(await differencesOf(showing(ofAnother), addDays(day, -1)), []);
});

t.test('a charge that can’t be read keeps no day from being compared', async (t) => {
  const day = nextNoon();
  const strange = await lost(store.id);
  const silent = (reason: 'unreadable' | 'breaker-open') =>
    showing(
      (one) => one,
      () => {
        throw new PixUnavailable('getCharge', reason);
      },
    );
  t.match(await differencesOf(silent('unreadable'), day), [
    { kind: 'missing_here', endToEndId: strange.endToEndId },
  ]);
  await t.rejects(
    checkDay(silent('breaker-open'), day),
    { name: 'PixUnavailable', message: /was not called/ },
    'the bank was not asked',
  );
});

t.test('nothing is kept of a day whose list can’t be read, or that nobody waits for', async (t) => {
  const day = nextNoon();
  const gone = new AbortController();
  let pages = 0;
  const endless: BankContext['pix']['listPix'] = async (range) => {
    pages += 1;
    if (pages === 5) gone.abort();
    const endToEndId = `E${String(pages).padStart(31, '0')}`;
    return {
      ...(await bank.listPix({ ...range, page: 0 })),
      pages: 1_000,
      unreadable: [{ endToEndId, txid: null, key: null }],
    };
  };
  await t.rejects(checkDay({ ...context, pix: { ...bank, listPix: endless } }, day, gone.signal), {
    name: 'AbortError',
  });
  t.equal(pages, 5, 'no page is asked for after that');
  const listPix = () => Promise.reject(new PixUnavailable('listPix', 'unreadable'));
  await t.rejects(checkDay({ ...context, pix: { ...bank, listPix } }, day), { name: 'PixUnavailable' });
  t.same(await findCheckedDay(bench.db, day), []);
});

t.test(
  'a Pix that the bank can’t show by itself holds up no other, is named, and is met again',
  async (t) => {
    const day = nextNoon();
    const [one, other] = await bench.create(2);
    const [endToEndId] = [await bench.pay(one!), await bench.pay(other!)];
    const alone = (shown: ReceivedPix) =>
      shown.endToEndId === endToEndId ? { ...unread(shown), txid: null } : shown;
    await reconcile(showing(alone));
    t.equal((await bench.payment(other!.id)).status, 'approved');
    while (dayOf(context.now()) <= day) nextNoon();
    await reconcile(showing(alone));
    const { differences } = await settleAndCheckDay(showing(alone), day);
    t.match(differences, [{ kind: 'unreadable', endToEndId }]);
    t.equal((await bench.payment(one!.id)).status, 'pending');
    t.same((await settleAndCheckDay(context, day)).differences, []);
    t.equal((await bench.payment(one!.id)).status, 'approved');
  },
);

function byPix(differences: Difference[]): Difference[] {
  return differences.toSorted((a, b) => (a.endToEndId ?? '').localeCompare(b.endToEndId ?? ''));
}

t.test('a return counts that one copy of its Pix in the list has, and another lacks', async (t) => {
  const day = nextNoon();
  const { endToEndId, txid } = await paid();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settleTold(context, [{ txid, endToEndIds: [endToEndId] }]);
  const listPix: BankContext['pix']['listPix'] = async (range) => {
    const page = await bank.listPix(range);
    return { ...page, pix: page.pix.flatMap((one) => [one, { ...one, refunds: [] }]) };
  };
  bench.advance(60);
  t.same((await checkDay({ ...context, pix: { ...bank, listPix } }, day)).differences, []);
});

t.test(
  'a return that the bank made more than ninety-two days after its Pix is found in its list',
  async (t) => {
    const { endToEndId, txid } = await paid();
    for (let days = 0; days < 80; days += 1) nextNoon();
    await system.bank('/bank/refunds', { endToEndId, valor: '4.00', slowMs: 600_000 });
    const { ledger } = system.simulator.bank;
    const pix = ledger.pix.get(endToEndId)!;
    const [slow] = pix.refunds;
    const weeksLater = slow!.settlesAt + 15 * 24 * 3_600_000;
    ledger.save({ pix: { ...pix, refunds: [{ ...slow!, settlesAt: weeksLater }] } });
    const madeOn = dayOf(new Date(weeksLater));
    while (dayOf(context.now()) <= madeOn) nextNoon();
    await settleTold(context, [{ txid, endToEndIds: [endToEndId] }]);
    const checked = await checkDay(context, madeOn);
    t.match(checked, { atBank: { refundCount: 1 }, ours: { refundCount: 1 } });
    t.same(checked.differences, []);
  },
);
