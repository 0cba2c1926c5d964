import { listRefunds } from '@payments/database/refunds/refunds';
import { findTotalsDifferences, foldTotals } from '@payments/database/totals/rows';
import { readStatement } from '@payments/database/totals/statement';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { txidOf } from '@payments/domain/identifiers';
import type { PixClient, ReceivedPix } from '@payments/pix/client';
import t from 'tap';
import type { BankContext } from '../../src/context.ts';
import { checkDay } from '../../src/days/check-day.ts';
import { reconcileReturned } from '../../src/days/reconcile.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// A bank may make a return just before midnight, and first tell it without its time.
const bench = await openBench(t, async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)));
const { context, db, system, pix, store } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;

let offset = 0;
function timePasses(seconds: number) {
  bench.advance(seconds);
  offset += seconds;
  system.simulator.bank.clock.setOffset(offset * 1_000);
}

/** A bank that shows this time of each return, or none. */
function showing(settledAt: Date | null): BankContext {
  const show = (one: ReceivedPix) => ({
    ...one,
    refunds: one.refunds.map((refund) => ({ ...refund, settledAt })),
  });
  const shown: Partial<PixClient> = {
    requestRefund: async (...asked) => ({ ...(await pix.requestRefund(...asked)), settledAt }),
    getCharge: async (txid) => {
      const charge = await pix.getCharge(txid);
      return charge && { ...charge, pix: charge.pix.map(show) };
    },
    listPix: async (range) => {
      const page = await pix.listPix(range);
      return { ...page, pix: page.pix.map(show) };
    },
  };
  return { ...context, pix: { ...pix, ...shown } };
}

/** A refund of 3 of 10 reais that was made seconds before midnight, and told without its time after it. */
async function madeAtMidnight() {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  await bench.pay(payment!);
  await settleCharge(context, id, await chargeOf(bench, id));
  await orderRefund(context, { paymentId: id, amount: 300, by });
  const midnight = startOf(addDays(dayOf(context.now()), 1));
  timePasses((midnight.getTime() - context.now().getTime()) / 1_000 + 5);
  await carryOutRefunds(showing(null), { limit: 10, paymentId: id });
  return { id, at: new Date(midnight.getTime() - 2_000), midnight };
}

/** The amounts that the store's statement has as given back, by day. */
async function givenBack(): Promise<Record<string, number>> {
  t.same(await findTotalsDifferences(db), []);
  const { items } = await readStatement(db, { storeId: store.id, by: 'day' });
  await foldTotals(db, 100);
  const days = items.map((item) => [item.period, item.givenBack] as const);
  return Object.fromEntries(days.filter(([, amount]) => amount > 0));
}

const ways: [name: string, learn: (at: BankContext, id: string) => Promise<unknown>][] = [
  ['a callback', (at, id) => settleTold(at, [{ txid: txidOf(id), endToEndIds: [] }])],
  ['the list of returns', (at) => reconcileReturned(at)],
  [
    'a charge read for something else',
    async (at, id) => {
      await settleCharge(at, id, (await at.pix.getCharge(txidOf(id)))!);
    },
  ],
];
for (const [name, learn] of ways) {
  t.test(`the bank gives the time later: the return moves to its day, by ${name}`, async (t) => {
    const before = await givenBack();
    const { id, at, midnight } = await madeAtMidnight();
    const [first] = await listRefunds(db, id);
    t.ok(first!.madeAt! >= midnight, 'ours, while the bank gives none');
    t.same(await givenBack(), { ...before, [dayOf(midnight)]: 300 });
    await learn(showing(null), id);
    t.same((await listRefunds(db, id))[0]!.madeAt, first!.madeAt, 'and while it gives none later');

    timePasses(7 * 3_600);
    await learn(showing(at), id);
    t.same((await listRefunds(db, id))[0]!.madeAt, at);
    t.same(await givenBack(), { ...before, [dayOf(at)]: (before[dayOf(at)] ?? 0) + 300 });
    await learn(showing(new Date(at.getTime() - 60_000)), id);
    t.same((await listRefunds(db, id))[0]!.madeAt, at, 'the first time that the bank gave counts');
    t.match(await bench.payment(id), { status: 'approved', amount: 700 });
  });
}

t.test('a time after we knew of the return is not believed', async (t) => {
  const { id, midnight } = await madeAtMidnight();
  timePasses(7 * 3_600);
  const [first] = await listRefunds(db, id);
  await settleTold(showing(new Date(midnight.getTime() + 3_600_000)), [
    { txid: txidOf(id), endToEndIds: [] },
  ]);
  t.same((await listRefunds(db, id))[0]!.madeAt, first!.madeAt);
  timePasses(3 * 86_400);
  const next = new Date(midnight.getTime() + 86_400_000);
  const ofNext = showing(next);
  for (const day of [midnight, next].map(dayOf))
    t.same((await checkDay(ofNext, day)).differences, [], `nor is it a difference, ${day}`);
});
