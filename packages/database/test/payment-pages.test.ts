import t from 'tap';
import { listPayments } from '../src/payments.ts';
import { addPayment, addStore, openDatabase } from './rows.ts';

t.test('pages are those of one order, newest first, from whichever end they are read', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const ids: string[] = [];
  for (let index = 0; index < 13; index += 1) {
    ids.unshift(await addPayment(db, storeId));
    await addPayment(db, other);
  }
  for (const limit of [1, 2, 3, 5, 6, 7, 12, 13, 14]) {
    for (const filter of [{ storeId }, { storeId, status: 'pending' as const }]) {
      const pages = Math.ceil(ids.length / limit);
      for (let page = 1; page <= pages + 1; page += 1) {
        const { items, total } = await listPayments(db, filter, { page, limit });
        const expected = ids.slice((page - 1) * limit, page * limit);
        t.same(
          items.map(({ id }) => id),
          expected,
          `page ${page} of ${limit}`,
        );
        t.equal(total, ids.length);
      }
    }
  }
});
