import { readCursor } from '@payments/database/cursors';
import t from 'tap';
import { reconcile, reconcileReturned } from '../src/days/reconcile.ts';
import { openBench } from './at-bank.ts';

/** A clock that was ahead for one scan leaves cursors in the future. Nothing may be missed once it is right. */
const bench = await openBench(t, ({ context }) => reconcile(context), { CHARGE_EXPIRES_IN_SECONDS: '86400' });
const { context, db, system } = bench;
const dayMs = 24 * 3_600_000;
const ahead = (ms: number) => ({ ...context, now: () => new Date(context.now().getTime() + ms) });
const cursor = () => readCursor(db, { bank: context.bank, name: 'pix' });
const statusOf = async (id: string) => (await bench.payment(id)).status;

/** Advances both clocks, ours and the bank's. */
let offset = 0;
function timePasses(seconds: number) {
  bench.advance(seconds);
  offset += seconds;
  system.simulator.bank.clock.setOffset(offset * 1_000);
}

/** As a process does whose clock is ahead for one scan. */
async function scansBy(one: typeof context) {
  await reconcile(one);
  await reconcileReturned(one);
}

for (const [what, ms] of [
  ['30 days', 30 * dayMs],
  ['three hours', dayMs / 8],
  ['ten minutes', 600_000],
] as const) {
  t.test(`ahead by ${what}: a MED without a callback is still found within six hours`, async (t) => {
    const [payment] = await bench.create(1);
    const endToEndId = await bench.pay(payment!);
    timePasses(30);
    await scansBy(context);
    await scansBy(ahead(ms));
    t.equal(await statusOf(payment!.id), 'approved');
    timePasses(3_600);
    await system.bank('/bank/refunds', { endToEndId, valor: '9.00' });
    for (let hour = 0; hour < 6; hour += 1) {
      timePasses(3_600);
      await scansBy(context);
    }
    t.equal((await bench.payment(payment!.id)).amount, 100);
  });

  t.test(`ahead by ${what}: an hour without lists and callbacks is caught up`, async (t) => {
    await scansBy(context);
    await scansBy(ahead(ms));
    const [payment] = await bench.create(1);
    await bench.pay(payment!);
    await bench.faults({ status: 503, only: ['listPix'] });
    timePasses(3_600);
    await t.rejects(reconcile(context), { name: 'PixUnavailable' });
    await bench.faults();
    // The breaker's rest.
    timePasses(120);
    t.equal(await reconcile(context), 1);
    t.equal(await statusOf(payment!.id), 'approved');
    t.ok((await cursor())! <= context.now(), 'the cursor is back');
  });
}

t.test('after a wrong clock, the day to read stays the same while the lists fail', async (t) => {
  await scansBy(ahead(30 * dayMs));
  const [payment] = await bench.create(1);
  await bench.faults({ status: 503, only: ['listPix'] });
  await t.rejects(reconcile(context), { name: 'PixUnavailable' });
  await bench.pay(payment!);
  timePasses(2 * 86_400);
  await t.rejects(reconcile(context), { name: 'PixUnavailable' });
  await bench.faults();
  timePasses(120);
  t.equal(await reconcile(context), 1);
});

t.test('a cursor within the believed skew stays: replicas read no day again', async (t) => {
  await scansBy(context);
  await reconcile(ahead(60_000));
  const furthest = await cursor();
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  t.equal(await reconcile(context), 1);
  t.same(await cursor(), furthest);
});
