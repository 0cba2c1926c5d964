import { addDays } from '@payments/domain/days';
import { centavosFrom } from '@payments/domain/money';
import { eventually, type TestSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { bankBooks, heldByBank } from './bank-books.ts';
import { liveMonth } from './month.ts';

/**
 * A random month: what the bank has, what totals, statements and exports say, and what the conciliação finds, are equal
 * to the centavo. MONTH_PAYMENTS and MONTH_SEED choose another one.
 */
const payments = Number(process.env.MONTH_PAYMENTS ?? 2_000);
const seed = Number(process.env.MONTH_SEED ?? 28);
const timeout = 600_000 + payments * 100;
t.setTimeout(timeout);

const centavos = (reais: number) => centavosFrom(reais)!;
const sumOf = <T>(items: readonly T[], read: (item: T) => number) =>
  items.reduce((sum, item) => sum + read(item), 0);

t.test(`${payments} payments of a month, seed ${seed}`, { timeout }, async (t) => {
  const month = await liveMonth(t, payments, randomFrom(seed));
  const { system, stores, from, to } = month;
  const { admin } = system;
  const range = `from=${from}&to=${to}`;
  await untilQuiet(system);
  const books = bankBooks(system);

  await t.test('each day at the bank is the same day here', async (t) => {
    for (let day = from; day <= to; day = addDays(day, 1)) {
      const { body } = await admin(`/admin/reconciliation?date=${day}`);
      const expected = books.get(day) ?? { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
      for (const side of [body.bank, body.ours])
        t.same(
          { ...side, pixAmount: centavos(side.pixAmount), refundAmount: centavos(side.refundAmount) },
          expected,
          day,
        );
      t.same(body.differences, [], day);
    }
  });

  const totals = async (by: string) => (await admin(`/admin/totals?${range}&by=${by}`)).body.items;
  const csv = parse((await admin(`/admin/payments.csv?${range}`)).text, { columns: true }) as Record<
    string,
    string
  >[];
  const confirmed = csv.filter(({ status }) => status === 'approved');
  const kept = sumOf(confirmed, ({ amount }) => centavos(Number(amount)));

  await t.test('totals by day, store and status, and the export, say the same', async (t) => {
    const [byDay, byStore, byStatus] = await Promise.all(['day', 'store', 'status'].map(totals));
    for (const items of [byDay, byStore, byStatus]) {
      t.equal(
        sumOf(items, (item: Totals) => item.createdCount),
        csv.length,
      );
      t.equal(
        sumOf(items, (item: Totals) => centavos(item.approvedAmount)),
        kept,
      );
      const refunded = sumOf(items, (item: Totals) => centavos(item.refundedAmount));
      t.equal(
        refunded,
        sumOf([...books.values()], ({ refundAmount }) => refundAmount),
      );
    }
    for (const { day, refundedAmount } of byDay)
      t.equal(centavos(refundedAmount), books.get(day)?.refundAmount ?? 0, day);
    t.equal(kept, heldByBank(books), 'what is kept is what the bank still has');
  });

  await t.test(
    'each store’s statement, also its CSV, closes with what the store keeps after fees',
    async (t) => {
      const byStore = new Map<string, Totals>(
        (await totals('store')).map((item: Totals & { storeId: string }) => [item.storeId, item]),
      );
      for (const { id } of stores) {
        const ofStore = confirmed.filter(({ storeId }) => storeId === id);
        const closing = sumOf(ofStore, ({ liquidValue, amount }) => centavos(Number(liquidValue || amount)));
        const path = `/admin/stores/${id}/statement`;
        const statement = (await admin(`${path}?${range}&by=day`)).body;
        const rows = parse((await admin(`${path}.csv?${range}&by=day`)).text, { columns: true });
        const { approvedAmount, feeAmount } = byStore.get(id)!;
        t.equal(centavosOf(statement.closing), closing, id);
        t.equal(centavosOf(approvedAmount - feeAmount), closing, id);
        t.same((rows as Record<string, string>[]).map(numbersOf), statement.items, id);
      }
    },
  );

  await t.test('a hidden Pix, an invented one and an altered amount are named', async (t) => {
    const day = addDays(from, 3);
    const [hidden, altered] = await paidOn(system, day);
    await system.db.deleteFrom('pixReceived').where('endToEndId', '=', hidden!).execute();
    const row = await system.db
      .updateTable('pixReceived')
      .set({ amount: 1 })
      .where('endToEndId', '=', altered!)
      .returningAll()
      .executeTakeFirstOrThrow();
    const invented = `E${'0'.repeat(31)}`;
    await system.db
      .insertInto('pixReceived')
      .values({ ...row, endToEndId: invented, effect: 'refund' })
      .execute();
    const { body } = await admin(`/admin/reconciliation?date=${day}`);
    const named = body.differences.map(({ kind, endToEndId }: Named) => `${kind} ${endToEndId}`).sort();
    t.same(named, [`amount_differs ${altered}`, `missing_at_bank ${invented}`, `missing_here ${hidden}`]);
  });
});

type Totals = { createdCount: number; approvedAmount: number; feeAmount: number; refundedAmount: number };
type Named = { kind: string; endToEndId: string };

/** @returns a statement's row as the administration shows it */
const numbersOf = ({ period, ...amounts }: Record<string, string>) => ({
  period,
  ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, Number(amount)])),
});

/** A statement may be below zero. */
const centavosOf = (reais: number) => Math.round(reais * 100);

/** Numbers from 0 up to 1, evenly spread, the same for one seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Until every review, refund and return has ended. */
async function untilQuiet(system: TestSystem): Promise<void> {
  const ended = async () => {
    const { payments: byStatus, refunds } = (await system.admin('/admin/overview')).body;
    const open = (byStatus.pending ?? 0) + (byStatus.review ?? 0) + refunds.unfinished;
    return open === 0 ? true : undefined;
  };
  await eventually('everything to end', ended, timeout / 4);
}

/** @returns two Pix of a day that approved their payments and of which nothing went back */
async function paidOn({ db }: TestSystem, day: string): Promise<string[]> {
  const rows = await db
    .selectFrom('pixReceived')
    .select('endToEndId as id')
    .where('effect', '=', 'approved')
    .where('paidAt', '>', new Date(`${day}T03:00:00Z`))
    .where('endToEndId', 'not in', db.selectFrom('refunds').select('endToEndId'))
    .orderBy('paidAt')
    .limit(2)
    .execute();
  return rows.map(({ id }) => id);
}
