import { randomUUID } from 'node:crypto';
import { listChargeProblems } from '@payments/database/charges/problems';
import { readCursor } from '@payments/database/cursors';
import { PixRefused } from '@payments/pix/errors';
import t from 'tap';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { reconcile, reconcileReturned } from '../../src/days/reconcile.ts';
import { openBench } from '../at-bank.ts';

const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, db, system } = bench;
const aside = { limit: 10, leaseMs: 10_000 };
const cursor = () => readCursor(db, { bank: context.bank, name: 'pix' });
const statusOf = async (id: string) => (await bench.payment(id)).status;

/** Advances both clocks, ours and the bank's. */
let bankOffset = 0;
async function timePasses(seconds: number) {
  bench.advance(seconds);
  bankOffset += seconds;
  await system.bank('/bank/clock', {});
  await system.bank('/bank/clock', { advanceSeconds: bankOffset });
}

t.test(
  'the bank is asked for no returns of Pix from before the first payment, four days at once',
  async (t) => {
    const asked: (string | undefined)[] = [];
    system.simulator.server.on('request', ({ url }) => {
      if (url?.includes('devolucaoPresente')) asked.push(url);
    });
    await reconcileReturned(context);
    t.equal(asked.length, 0, 'none yet');
    const [payment] = await bench.create(1);
    for (const [days, lists] of [
      [0.25, 1],
      [4, 2],
      [40, 12],
      [50, 23],
    ] as const) {
      asked.length = 0;
      await timePasses(days * 24 * 3_600);
      await reconcileReturned(context);
      t.equal(asked.length, lists, `after ${days} more days`);
    }
    await system.admin(`/admin/payments/${payment!.id}/status`, { body: { status: 'not_approved' } });
  },
);

t.test('the first scan looks a day back', async (t) => {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  await timePasses(23 * 3_600);
  t.equal(await cursor(), undefined);
  const begun = context.now();
  t.equal(await reconcile(context), 1);
  t.equal(await statusOf(payment!.id), 'approved');
  const reached = await cursor();
  t.ok(reached! >= begun && reached! <= context.now());
});

t.test('known Pix are not settled again', async (t) => {
  t.equal(await reconcile(context), 0);
});

t.test('a hundred and five Pix, more than a page: all found', async (t) => {
  const payments = await bench.create(105);
  for (const payment of payments) await bench.pay(payment);
  t.equal(await reconcile(context), 105);
  const { body } = await system.api('/api-public/payments?status=pending', { token: bench.store.token });
  t.equal(body.total, 0);
});

t.test('after three hours without a scan, all three are read', async (t) => {
  await reconcile(context);
  const payments = await bench.create(3);
  for (const payment of payments) {
    await timePasses(3_600);
    await bench.pay(payment);
  }
  t.equal(await reconcile(context), 3);
});

for (const [late, seconds] of [
  ['a minute', 60],
  ['fifteen minutes', 900],
] as const) {
  t.test(
    `a Pix that the bank lists ${late} late, behind the cursor, is found within five minutes`,
    async (t) => {
      await reconcile(context);
      const [payment] = await bench.create(1);
      await system.bank('/bank/clock', { advanceSeconds: -seconds });
      await bench.pay(payment!);
      await timePasses(0);
      const before = await cursor();
      await reconcile(context);
      t.ok((await cursor())! > before!);
      t.equal(
        await statusOf(payment!.id),
        seconds > 120 ? 'pending' : 'approved',
        'only some scans look far back',
      );
      await timePasses(300);
      await reconcile(context);
      t.equal(await statusOf(payment!.id), 'approved');
    },
  );
}

t.test('a charge that can’t be read is set aside with its reason, and delays no other', async (t) => {
  await reconcile(context);
  const before = await cursor();
  const payments = await bench.create(3);
  for (const payment of payments) await bench.pay(payment);
  await bench.faults({ status: 500, only: ['getCob'], times: 2 });
  await timePasses(60);
  t.equal(await reconcile(context), 2);
  const statuses = await Promise.all(payments.map(({ id }) => statusOf(id)));
  t.same(statuses.sort(), ['approved', 'approved', 'pending']);
  t.ok((await cursor())! > before!, 'the cursor goes on');
  const { items } = await listChargeProblems(db, { page: 1, limit: 10 });
  t.match(items, { length: 1, 0: { work: 'settle', tries: 1, error: { code: 'status' } } });

  await bench.faults();
  t.equal(await settleSetAside(context, aside), 0, 'not before its pause is over');
  await timePasses(10);
  t.equal(await settleSetAside(context, aside), 1);
  for (const { id } of payments) t.equal(await statusOf(id), 'approved');
  t.equal((await listChargeProblems(db, { page: 1, limit: 10 })).total, 0);
});

t.test('while the list can’t be read, the cursor waits', async (t) => {
  const payments = await bench.create(5);
  for (const payment of payments) await bench.pay(payment);
  const held = await cursor();
  await bench.faults({ status: 503, only: ['listPix'] });
  await t.rejects(reconcile(context), { name: 'PixUnavailable' });
  t.same(await cursor(), held);
  await bench.faults();
  t.equal(await reconcile(context), 5);
});

t.test('a replica whose clock is an hour ahead makes no other replica skip an hour', async (t) => {
  const ahead = { ...context, now: () => new Date(context.now().getTime() + 3_600_000) };
  await reconcile(ahead);
  const furthest = await cursor();
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  t.equal(await reconcile(context), 1);
  t.ok((await cursor())! < furthest!, 'the cursor is right again');
});

t.test('ten scans at once find each Pix once', async (t) => {
  const payments = await bench.create(10);
  for (const payment of payments) await bench.pay(payment);
  const found = await Promise.all(Array.from({ length: 10 }, () => reconcile(context)));
  t.equal(
    found.reduce((sum, count) => sum + count, 0),
    10,
  );
});

t.test('charges of other systems are skipped', async (t) => {
  const txid = randomUUID().replaceAll('-', '');
  const charge = await bench.pix.putCharge(txid, { amount: 1_000, expiresInSeconds: 60 });
  await system.bank('/bank/pay', { pixCopiaECola: charge.copyAndPaste });
  t.equal(await reconcile(context), 0);
});

const refundsOf = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body.refunds;

t.test('the bank takes back a known Pix and the callback is lost: the list shows it', async (t) => {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await reconcile(context);
  t.equal(await statusOf(payment!.id), 'approved');
  await bench.faults({ slowRefundsMs: 60_000 });
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  t.equal(await reconcile(context), 0, 'no Pix is new');
  t.match(await refundsOf(payment!.id), [{ origin: 'bank', amount: 4, state: 'processing' }]);

  await bench.faults();
  await timePasses(61);
  await reconcile(context);
  t.match(await refundsOf(payment!.id), [{ origin: 'bank', amount: 4, state: 'refunded' }], 'and its end');
});

t.test('a Pix that the bank takes back after eighty days is found within six hours', async (t) => {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await reconcile(context);
  await reconcileReturned(context);
  await timePasses(80 * 24 * 3_600);
  await reconcile(context);
  await reconcileReturned(context);
  await system.bank('/bank/refunds', { endToEndId });
  await reconcile(context);
  await reconcileReturned(context);
  t.same(await refundsOf(payment!.id), [], 'only some scans look that far back');
  await timePasses(6 * 3_600);
  await reconcileReturned(context);
  t.match(await refundsOf(payment!.id), [{ origin: 'bank', amount: 10, state: 'refunded' }]);
});

t.test('a return is found although another charge can’t be read', async (t) => {
  const payments = await bench.create(2);
  const paid = await Promise.all(payments.map((payment) => bench.pay(payment)));
  await reconcile(context);
  for (const endToEndId of paid) await system.bank('/bank/refunds', { endToEndId });
  await timePasses(6 * 3_600);
  await bench.faults({ status: 403, only: ['getCob'], times: 1 });
  await reconcileReturned(context);
  await bench.faults();
  const statuses = await Promise.all(payments.map(({ id }) => statusOf(id)));
  t.same(statuses.sort(), ['approved', 'not_approved']);
  await timePasses(10);
  t.equal(await settleSetAside(context, aside), 1);
  for (const { id } of payments) t.equal(await statusOf(id), 'not_approved');
});

t.test(
  'a part of the returns that the bank refuses to list is asked for again after ten minutes',
  async (t) => {
    await timePasses(6 * 3_600);
    const asked: string[] = [];
    const oldest = new Date(context.now().getTime() - 60 * 24 * 3_600_000);
    const listPix: typeof bench.pix.listPix = async (range) => {
      if (range.from > oldest || range.to < oldest) return bench.pix.listPix(range);
      asked.push('refused');
      throw new PixRefused('listPix', 400, { type: 'PixConsultaInvalida', detail: null });
    };
    const refusing = { ...context, pix: { ...bench.pix, listPix } };
    await t.rejects(reconcileReturned(refusing), { name: 'PixRefused' });
    for (const [seconds, isAsked] of [
      [10, false],
      [580, false],
      [10, true],
      [10, false],
    ] as const) {
      asked.length = 0;
      await timePasses(seconds);
      const look = reconcileReturned(refusing);
      await (isAsked ? t.rejects(look, { name: 'PixRefused' }) : look);
      t.equal(asked.length, isAsked ? 1 : 0);
    }
    await timePasses(600);
    await reconcileReturned(context);
    await timePasses(3_600);
    await reconcileReturned(refusing);
    t.same(asked, [], 'six hours after it was listed, as ever');
  },
);
