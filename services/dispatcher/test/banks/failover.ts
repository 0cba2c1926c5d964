import type { Test } from 'tap';
import { startLoad } from './load.ts';
import { type Outage, sufferOutage, type Trade } from './outage.ts';
import { startTwoBanks, txidOf } from './several.ts';

// At both banks, and at the second alone: what the machine holds up holds up both.
const perSecond = 10;
const outageSeconds = 20;

/** Lets the first bank fail in these ways, one after the other, and proves that no sale and no centavo is lost. */
export async function proveFailover(t: Test, failures: [string, Record<string, unknown>][]): Promise<Trade> {
  const two = await startTwoBanks(t);
  const store = await two.createStore(null);
  const other = await two.createStore(['second']);
  const shop = startLoad(() => two.create(store), perSecond);
  const onlySecond = startLoad(() => two.create(other), perSecond);
  const trade: Trade = { two, shop, onlySecond, paid: [], leftovers: [] };
  await shop.more(2 * perSecond);
  const row = (...cells: string[]) => t.comment(`| ${cells.join(' | ')} |`);
  row('first bank', 'shown', 'slowest', 'after 15 s', 'over 1 s', 'back', 'none left');
  row(...Array.from({ length: 7 }, () => '---'));
  for (const [name, faults] of failures) {
    const outage = await sufferOutage(t, trade, faults, outageSeconds * perSecond);
    row(name, ...figuresOf(outage));
    const { asked, sold, slowestMs, slowestLaterMs, slowestElsewhereMs } = outage;
    t.ok(asked < sold / 2, `${name}: the bank was asked ${asked} times for ${sold} sales`);
    // A sale asks two banks where another asks one (deploy/runbook.md has these limits).
    const twoElsewhereMs = 2 * slowestElsewhereMs;
    t.ok(slowestMs <= 10_000 + twoElsewhereMs, `${name}: the slowest creation of the switch`);
    t.ok(slowestLaterMs <= 1_500 + twoElsewhereMs, `${name}: the slowest creation afterwards`);
  }
  await Promise.all([shop.stop(), onlySecond.stop()]);
  await t.test('each creation has a code, of the bank that has the payment', (t) => proveCodes(t, trade));
  await t.test('payments are settled and refunded at their bank', (t) => provePayments(t, trade));
  await t.test('no bank was asked for what is another’s', (t) => provePlaces(t, trade));
  return trade;
}

function figuresOf({ shownMs, slowestMs, slowestLaterMs, waited, backMs, removedMs }: Outage): string[] {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const times = [seconds(shownMs), `${slowestMs.toFixed(0)} ms`, `${slowestLaterMs.toFixed(0)} ms`];
  return [...times, `${(waited * 100).toFixed(1)} %`, seconds(backMs), seconds(removedMs)];
}

async function proveCodes(t: Test, { two, shop, onlySecond }: Trade): Promise<void> {
  const all = [...shop.creations, ...onlySecond.creations];
  t.same(
    all.filter(({ status, code }) => status !== 200 || code === null),
    [],
    `each of ${all.length} has one`,
  );
  const rows = await two.db.selectFrom('payments').select(['id', 'bank', 'copyAndPaste as code']).execute();
  const shown = new Map(all.map(({ id, code }) => [id, code]));
  const wrong = rows.filter(
    ({ id, bank, code }) => shown.get(id) !== code || two.bankOf({ id, code }) !== bank,
  );
  t.same(wrong, []);
  const elsewhere = onlySecond.creations.filter((one) => two.bankOf(one) !== 'second');
  t.same(elsewhere, []);
}

async function provePayments(t: Test, { two, paid }: Trade): Promise<void> {
  for (const { bank, id } of paid) {
    await two.untilDetail(id, 'the approval', ({ status }) => status === 'approved');
    t.equal((await two.system.admin(`/admin/payments/${id}/refunds`, { body: {} })).status, 202);
    await two.untilDetail(id, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
    t.match((await two.charge(bank, id)).body.pix, [
      { devolucoes: [{ status: 'DEVOLVIDO', valor: '10.00' }] },
    ]);
  }
}

/** The first bank may be asked for what it was asked to register and did not answer. */
async function provePlaces(t: Test, { two, onlySecond }: Trade): Promise<void> {
  const unknownAt = (id: string) => two.system.banks.at(id).simulator.bank.unknown;
  t.same(unknownAt('second'), []);
  const never = new Set(onlySecond.creations.map(({ id }) => txidOf(id)));
  const mayAsk = ['getCob', 'patchCob'];
  const wrong = unknownAt('first').filter(
    ({ operation, id }) => !mayAsk.includes(operation) || never.has(id),
  );
  t.same(wrong, []);
}
