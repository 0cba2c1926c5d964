import { newId } from '@payments/domain/identifiers';
import t from 'tap';
import { listPayments } from '../../src/payments/list.ts';
import { findPaymentsWithPix } from '../../src/payments/with-pix.ts';
import { addPayment, addStore, move, openDatabase } from '../rows.ts';

t.test('pages follow one order, newest first, without gap or overlap', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  const ids: string[] = [];
  for (let index = 0; index < 13; index += 1) {
    ids.unshift(await addPayment(db, storeId));
    await addPayment(db, other);
  }
  for (const limit of [1, 2, 5, 12, 13, 14]) {
    for (const filter of [{ storeId }, { storeId, status: 'pending' as const }]) {
      for (let page = 1; page <= Math.ceil(ids.length / limit) + 1; page += 1) {
        const { items, total } = await listPayments(db, filter, { page, limit });
        const found = items.map(({ id }) => id);
        t.same(found, ids.slice((page - 1) * limit, page * limit), `page ${page} of ${limit}`);
        t.equal(total, ids.length);
      }
    }
  }
});

t.test('what follows a payment stays the same through creations and moves', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const ids: string[] = [];
  for (let index = 0; index < 6; index += 1) ids.unshift(await addPayment(db, storeId));
  const filter = { storeId, status: 'pending' as const };
  const first = await listPayments(db, filter, { page: 1, limit: 2 });
  const after = first.items.at(-1)?.id ?? '';
  await addPayment(db, storeId);
  await move(db, ids[0] ?? '', 'approved');
  await move(db, after, 'approved');
  const next = await listPayments(db, { ...filter, after }, { page: 1, limit: 2 });
  t.same(
    next.items.map(({ id }) => id),
    ids.slice(2, 4),
  );
  t.equal(next.total, 5, 'of all that is pending');
  const last = await listPayments(db, { ...filter, after }, { page: 2, limit: 2 });
  t.same(
    last.items.map(({ id }) => id),
    ids.slice(4, 6),
    'pages begin behind it',
  );
});

t.test('a total agrees with its page, whatever comes or goes between the count and the rows', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const filter = { storeId, status: 'pending' as const };
  const first = await addPayment(db, storeId);
  const listWhile = (change: () => Promise<unknown>, after?: string) => {
    let statements = 0;
    const meanwhile = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements += 1;
        if (statements === 1) await change();
        return result;
      },
    });
    return listPayments(meanwhile, { ...filter, after }, { page: 1, limit: 2 });
  };
  t.match(await listWhile(() => addPayment(db, storeId)), { items: { length: 2 }, total: 2 });
  t.match(await listWhile(() => move(db, first, 'approved')), { items: { length: 1 }, total: 1 });
  const newest = await addPayment(db, storeId);
  await move(db, newest, 'approved');
  t.match(await listWhile(() => move(db, first, 'pending'), newest), { items: { length: 2 }, total: 2 });
});

t.test('nothing follows an id that is no payment of the store', async (t) => {
  const { db } = await openDatabase(t);
  const [storeId, other] = [await addStore(db), await addStore(db)];
  await addPayment(db, storeId);
  const foreign = await addPayment(db, other);
  await addPayment(db, storeId);
  for (const after of [foreign, newId()]) {
    const { items, total } = await listPayments(db, { storeId, after }, { page: 1, limit: 10 });
    t.same([items, total], [[], 2]);
  }
});

t.test('the Pix of a whole page are read by one statement', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const ids: string[] = [];
  for (let index = 0; index < 20; index += 1) ids.unshift(await addPayment(db, storeId));
  const paidAt = new Date('2026-11-21T12:00:00.007Z');
  const about = {
    bank: 'default',
    txid: null,
    effect: 'approved',
    unmatched: null,
    paidAt,
    receivedAt: paidAt,
  };
  for (const [index, paymentId] of ids.slice(0, 10).entries())
    await db
      .insertInto('pixReceived')
      .values({ ...about, endToEndId: `E${index}`, paymentId, amount: 1_000 + index })
      .execute();
  let statements = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const found = await findPaymentsWithPix(counted, ids);
  t.equal(statements, 1);
  t.same(
    found.map(({ id, refundedAmount, pix }) => [id, refundedAmount, pix]),
    ids.map((id, index) => [
      id,
      0,
      index < 10 ? [{ endToEndId: `E${index}`, amount: 1_000 + index, paidAt }] : [],
    ]),
  );
});
