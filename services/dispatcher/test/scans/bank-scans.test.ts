import { shareNotices } from '@payments/database/notices/share';
import { findCheckedDay, listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { newId, txidOf } from '@payments/domain/identifiers';
import { PixRefused } from '@payments/pix/errors';
import { reconcile } from '@payments/settlement/days/reconcile';
import { query } from '@payments/testing/sessions';
import t from 'tap';
import { openBench } from '../../../../packages/settlement/test/at-bank.ts';
import { checkDays, registerCharges, withdrawCharges } from '../../src/scans/bank-scans.ts';
import { sweepNotices } from '../../src/scans/retention.ts';

const bench = await openBench(t, async () => {});
const { context, db } = bench;

t.test('when the bank is back, every charge to withdraw is due', async (t) => {
  bench.stopClock(t);
  const cancelled = await bench.create(12);
  await bench.faults({ disconnect: true });
  for (const { id } of cancelled)
    await bench.system.admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
  const left = () =>
    db.selectFrom('payments').select('chargeTryAt').where('chargeState', '=', 'cancelling').execute();
  const scan = withdrawCharges();
  // The pause doubles up to an hour.
  for (let turn = 0; turn < 12; turn += 1) {
    bench.advance(3_600);
    await scan(context);
  }
  t.equal((await left()).length, 12);
  await bench.faults();
  bench.advance(30);
  t.match(await context.pix.getCharge('0'.repeat(32)), null, 'another call finds the bank well');
  while (await scan(context));
  t.same(await left(), []);
});

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

/** Advances to the next day's noon: every day before is over then, whatever the time is now. */
function toNoon() {
  const tomorrow = startOf(addDays(dayOf(context.now()), 1));
  bench.advance((tomorrow.getTime() - context.now().getTime()) / 1_000 + 12 * 3_600);
}

/** The comparison before the scan's own: a person sees what is still on its way, and settles nothing. */
const compare = {
  none: async () => undefined,
  person: async (day: string) => {
    const { body } = await bench.system.admin(`/admin/reconciliation?date=${day}`);
    const late = { kind: 'missing_here' };
    t.match(body, { isFinal: true, ours: { pixCount: 0 }, differences: [late, late] });
  },
};
for (const first of ['none', 'person'] as const)
  t.test(
    `what the bank lists hours late is settled before its day is compared; looked at before by: ${first}`,
    async (t) => {
      toNoon();
      const [payment] = await bench.create(1);
      await setBankClock();
      for (let pix = 1; pix <= 2; pix += 1) await bench.pay(payment!);
      const day = dayOf(context.now());
      bench.advance(30 * 3_600);
      await compare[first](day);
      while (await checkDays(context));
      t.match(await bench.payment(payment!.id), { status: /^approved$/, amount: 1_000 });
      const refunds = db.selectFrom('refunds').select(['reason', 'amount']);
      const second = { reason: 'second_pix', amount: 1_000 };
      t.strictSame(await refunds.where('paymentId', '=', payment!.id).execute(), [second]);
      t.match(await findCheckedDay(db, day), [{ ours: { pixCount: 2 }, differences: [] }]);
      const told = db.selectFrom('notices').select('kind').where('kind', '=', 'reconciliation_differs');
      t.same(await told.execute(), []);
    },
  );

t.test('what the bank lists after its day was compared is settled a day later', async (t) => {
  toNoon();
  const [payment] = await bench.create(1);
  await setBankClock();
  const day = dayOf(context.now());
  bench.advance(13 * 3_600);
  while (await checkDays(context));
  t.match(await findCheckedDay(db, day), [{ atBank: { pixCount: 0 }, differences: [] }]);
  // The bank's clock still shows noon: this Pix is of the day that was compared.
  await bench.pay(payment!);
  while (await checkDays(context));
  t.match(await bench.payment(payment!.id), { status: 'pending' });
  bench.advance(24 * 3_600);
  while (await checkDays(context));
  t.match(await bench.payment(payment!.id), { status: 'approved', amount: 1_000 });
  t.match(await findCheckedDay(db, day), [{ ours: { pixCount: 1 }, differences: [] }]);
});

t.test('what the bank took back without a word is known before the day is compared', async (t) => {
  toNoon();
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

t.test('a day that can’t be compared does not stop the later ones, and is a failure', async (t) => {
  toNoon();
  await setBankClock();
  const today = dayOf(context.now());
  const [oldest, latest] = [addDays(today, -3), addDays(today, -1)];
  await db.deleteFrom('reconciliations').execute();
  bench.advance(600);
  await db
    .updateTable('banks')
    .set({ knownSince: startOf(oldest) })
    .execute();
  const url = bench.system.env.DATABASE_URL!;
  await query(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refused before insert on reconciliations for each row
      when (new.day = '${oldest}') execute function refuse()`,
  );
  await t.rejects(checkDays(context), /refused/);
  const days = await listCheckedDays(db, { from: oldest, to: today });
  t.same(
    days.map(({ date }) => date),
    [addDays(today, -2), latest],
  );
  await query(url, 'drop function refuse cascade');
  bench.advance(600);
  while (await checkDays(context));
  t.equal((await listCheckedDays(db, { from: oldest, to: today })).length, 3);
});

t.test('a day that the bank refuses to list is asked for again after ten minutes', async (t) => {
  bench.stopClock(t);
  toNoon();
  const yesterday = startOf(addDays(dayOf(context.now()), -1));
  let asked = 0;
  const listPix: typeof context.pix.listPix = async (range) => {
    if (range.from >= yesterday) asked += 1;
    if (range.from >= yesterday)
      throw new PixRefused('listPix', 400, { type: 'PixConsultaInvalida', detail: null });
    return context.pix.listPix(range);
  };
  const refusing = { ...context, pix: { ...context.pix, listPix } };
  const checkAll = async () => {
    while (await checkDays(refusing));
  };
  await t.rejects(checkAll(), { name: 'PixRefused' });
  for (const [seconds, isAsked] of [
    [10, false],
    [580, false],
    [10, true],
    [10, false],
  ] as const) {
    asked = 0;
    bench.advance(seconds);
    const scan = checkAll();
    await (isAsked ? t.rejects(scan, { name: 'PixRefused' }) : scan);
    t.equal(asked, isAsked ? 1 : 0);
  }
  bench.advance(600);
  while (await checkDays(context));
  t.equal((await findCheckedDay(db, dayOf(yesterday))).length, 1);
});

t.test('a day that differs is told once, though notices are kept for a day', async (t) => {
  bench.stopClock(t);
  toNoon();
  await setBankClock();
  const terms = { amount: 1_000, expiresInSeconds: 3_600, storeId: bench.store.id };
  const { copyAndPaste } = await context.pix.putCharge(txidOf(newId(context.now())), terms);
  await bench.system.bank('/bank/pay', { pixCopiaECola: copyAndPaste });
  const key = `${context.bank} ${dayOf(context.now())}`;
  const sharing = { now: context.now, limit: 500, collectMs: 0, toPeople: false, toWebhook: null };
  const told = db.selectFrom('notices').select('id').where('key', '=', key);
  const sweep = sweepNotices(1);
  const ids: (string | undefined)[] = [];
  for (let day = 1; day <= 9; day += 1) {
    bench.advance(24 * 3_600);
    while (await checkDays(context));
    await shareNotices(db, sharing);
    await sweep(context);
    ids.push((await told.executeTakeFirst())?.id);
  }
  const [first] = ids;
  t.type(first, 'string');
  t.strictSame(ids, [...Array(8).fill(first), undefined], 'it stays until the day is compared no more');
});
