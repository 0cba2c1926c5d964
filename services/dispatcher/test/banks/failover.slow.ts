import { performance } from 'node:perf_hooks';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { type Creation, startLoad } from './load.ts';
import { startTwoBanks, txidOf } from './several.ts';

const perSecond = 20;
const outage = 20 * perSecond;

const failures: [string, Record<string, unknown>][] = [
  ['hangs', { hang: true }],
  ['refuses with 503', { status: 503 }],
  ['refuses our credentials', { status: 401 }],
  ['breaks connections after it has registered', { cutChargeAnswers: true }],
];

t.test(
  'the first bank fails in every way: no sale is lost, and no charge is left',
  { timeout: 0 },
  async (t) => {
    const two = await startTwoBanks(t);
    const { system, db } = two;
    const shop = await two.createStore(null);
    const onlySecond = await two.createStore(['second']);
    await two.create(shop);
    const load = startLoad(() => two.create(shop), perSecond);
    const faithful = startLoad(() => two.create(onlySecond), 2);
    const paid: { bank: string; id: string }[] = [];
    const pay = async (bank: string, creation: Creation) => {
      await two.pay(bank, creation.code ?? '');
      paid.push({ bank, id: creation.id });
    };
    const leftovers: string[] = [];
    await load.more(2 * perSecond);

    const isShownFailing = async () => {
      const row = await db
        .selectFrom('banks')
        .select('failing_until')
        .where('id', '=', 'first')
        .executeTakeFirstOrThrow();
      return (row.failing_until ?? new Date(0)) > new Date() || undefined;
    };
    const since = (from: number, to = Number.POSITIVE_INFINITY) =>
      load.creations.filter(({ at }) => at >= from && at < to);
    const slowest = (creations: Creation[]) => Math.max(0, ...creations.map(({ ms }) => ms));

    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    const row = (name: string, cells: string[]) => t.comment(`| ${[name, ...cells].join(' | ')} |`);
    row('the first bank', [
      'shown after',
      'slowest',
      'from 15 s on',
      'waited over 1 s',
      'back after',
      'none left after',
    ]);
    row(
      '---',
      Array.from({ length: 6 }, () => '---'),
    );
    for (const [name, faults] of failures) {
      await t.test(`it ${name}`, async (t) => {
        const failedAt = performance.now();
        await two.faults('first', faults);
        await eventually(15_000, 'the bank to be shown as failing', isShownFailing);
        const shownMs = performance.now() - failedAt;
        await load.more(outage);
        const [during] = since(failedAt + 5_000);
        await pay('second', during!);
        for (const txid of two.atBoth().slice(0, 2)) leftovers.push(txid);
        await payLeftovers(leftovers);

        await two.faults('first');
        const backAt = performance.now();
        const isBack = async () => since(backAt).find((one) => two.bankOf(one) === 'first');
        const firstBack = await eventually(75_000, 'sales at the first bank', isBack);
        await eventually(60_000, 'each charge to be at one bank', async () => {
          return two.atBoth().length === 0 || undefined;
        });
        const removedMs = performance.now() - backAt;
        await pay('first', firstBack);

        const affected = since(failedAt, backAt);
        const [atOnce, later] = [since(failedAt, failedAt + 15_000), since(failedAt + 15_000, backAt)];
        const waited = affected.filter(({ ms }) => ms > 1_000).length / affected.length;
        row(name, [
          `${seconds(shownMs)} s`,
          `${slowest(atOnce).toFixed(0)} ms`,
          `${slowest(later).toFixed(0)} ms`,
          `${(waited * 100).toFixed(1)} %`,
          `${seconds(firstBack.at - backAt)} s`,
          `${seconds(removedMs)} s`,
        ]);
        t.ok(slowest(atOnce) <= 10_000, 'the slowest creation of the switch');
        t.ok(slowest(later) <= 1_500, 'the slowest creation afterwards');
      });
    }
    await Promise.all([load.stop(), faithful.stop()]);

    const all = [...load.creations, ...faithful.creations];
    t.same(
      all.filter(({ status, code }) => status !== 200 || code === null),
      [],
      `each of ${all.length} creations has a code`,
    );
    await t.test('each code is of the bank that has the payment', async (t) => {
      const rows = await db.selectFrom('payments').select(['id', 'bank', 'copy_and_paste']).execute();
      const shown = new Map(all.map(({ id, code }) => [id, code]));
      const wrong = rows.filter(
        ({ id, bank, copy_and_paste: code }) =>
          two.bankOf({ id, code }) !== bank || (shown.get(id) ?? code) !== code,
      );
      t.same(wrong, []);
      t.same(
        faithful.creations.filter((one) => two.bankOf(one) !== 'second'),
        [],
      );
    });

    await t.test('payments are settled and refunded at their bank', async (t) => {
      for (const { bank, id } of paid) {
        await two.untilDetail(id, 'approved', ({ status }) => status === 'approved');
        t.equal((await system.admin(`/admin/payments/${id}/refunds`, { body: {} })).status, 202);
        await two.untilDetail(id, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
        t.match((await two.charge(bank, id)).body.pix, [
          { devolucoes: [{ status: 'DEVOLVIDO', valor: '10.00' }] },
        ]);
      }
    });

    await t.test('a Pix for a charge that nobody saw went back, and is shown', async (t) => {
      t.ok(leftovers.length > 0, `${leftovers.length} were paid`);
      for (const txid of leftovers) {
        const { id } = all.find((one) => txidOf(one.id) === txid)!;
        await two.untilDetail(id, 'the refund', ({ refunds }) => refunds[0]?.state === 'refunded');
        const [{ endToEndId, devolucoes }] = (await two.charge('first', id)).body.pix;
        t.match(devolucoes, [{ status: 'DEVOLVIDO', valor: '10.00' }]);
        t.match(await two.detail(id), { status: 'pending', pix: [{ endToEndId, amount: 10 }] });
      }
    });

    await t.test('no bank was asked for what is another’s', async (t) => {
      const unknownAt = (id: string) => system.banks.at(id).simulator.bank.unknown;
      t.same(unknownAt('second'), []);
      const ofFaithful = new Set(faithful.creations.map(({ id }) => txidOf(id)));
      const looked = unknownAt('first').filter(
        ({ operation }) => operation === 'getCob' || operation === 'patchCob',
      );
      t.same(
        unknownAt('first').filter((request) => !looked.includes(request)),
        [],
      );
      t.same(
        looked.filter(({ id }) => ofFaithful.has(id)),
        [],
      );
    });

    async function payLeftovers(txids: readonly string[]) {
      for (const txid of txids) {
        const ledger = system.banks.at('first').simulator.bank.ledger;
        if (ledger.pixOf(txid).length > 0) continue;
        const { body } = await two.charge('first', txid);
        await two.pay('first', body.pixCopiaECola);
      }
    }
  },
);
