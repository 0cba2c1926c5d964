import { findCheckedDay } from '@payments/database/reconciliation/checked-days';
import { dayOf } from '@payments/domain/days';
import { reconcile } from '@payments/settlement/days/reconcile';
import t from 'tap';
import { openBench } from '../../../../packages/settlement/test/at-bank.ts';
import { checkDays, registerCharges } from '../../src/scans/bank-scans.ts';

const bench = await openBench(t, async () => {});
const { context, db } = bench;

/** The tries of all charges that no bank has taken. */
async function waiting(): Promise<number[]> {
  const rows = await db.selectFrom('payments').select('chargeTries').where('bank', 'is', null).execute();
  return rows.map(({ chargeTries }) => chargeTries);
}

const sum = (tries: readonly number[]) => tries.reduce((all, one) => all + one, 0);

for (const fault of [{ disconnect: true }, { disconnect: true, only: ['putCob'] }])
  t.test(
    `while the bank fails, one charge probes it; when it is back, all are due: ${JSON.stringify(fault)}`,
    async (t) => {
      bench.stopClock(t);
      await bench.faults(fault);
      await bench.create(15);
      const scan = registerCharges();
      bench.advance(30);
      await scan(context);
      const tried = sum(await waiting());
      for (let turn = 1; turn <= 3; turn += 1) {
        bench.advance(10);
        t.equal(await scan(context), false);
        t.equal(sum(await waiting()), tried + turn);
      }
      await bench.faults();
      bench.advance(10);
      while (await scan(context));
      t.same(await waiting(), []);
    },
  );

/** Sets the bank's clock by ours. */
async function setBankClock() {
  await bench.system.bank('/bank/clock', {});
  const advanceSeconds = Math.round((context.now().getTime() - Date.now()) / 1_000);
  await bench.system.bank('/bank/clock', { advanceSeconds });
}

t.test('what the bank lists hours late is settled before its day is compared', async (t) => {
  const [payment] = await bench.create(1);
  await setBankClock();
  for (let pix = 1; pix <= 2; pix += 1) await bench.pay(payment!);
  const day = dayOf(context.now());
  bench.advance(30 * 3_600);
  while (await checkDays(context));
  t.match(await bench.payment(payment!.id), { status: /^approved$/, amount: 1_000 });
  const second = { reason: 'second_pix', amount: 1_000 };
  t.match(await db.selectFrom('refunds').select(['reason', 'amount']).execute(), [second]);
  t.match(await findCheckedDay(db, day), [{ ours: { pixCount: 2 }, differences: [] }]);
  const told = db.selectFrom('notices').select('kind').where('kind', '=', 'reconciliation_differs');
  t.same(await told.execute(), []);
});

t.test('what the bank took back without a word is known before the day is compared', async (t) => {
  const [payment] = await bench.create(1);
  await setBankClock();
  const endToEndId = await bench.pay(payment!);
  await reconcile(context);
  bench.advance(30 * 3_600);
  while (await checkDays(context));
  await setBankClock();
  await bench.system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  const day = dayOf(context.now());
  bench.advance(30 * 3_600);
  while (await checkDays(context));
  t.match(await bench.payment(payment!.id), { amount: 600 });
  t.match(await findCheckedDay(db, day), [{ ours: { refundCount: 1 }, differences: [] }]);
});
