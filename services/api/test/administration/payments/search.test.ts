import { addDays, dayOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, readFields, statuses } from '../../public/payments/expectations.ts';

/** The search of payments on the admin port. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const [store, other] = [await system.createStore(), await system.createStore()];
const search = async (query: Record<string, string | number>) =>
  (await admin(`/admin/payments?${new URLSearchParams(query as Record<string, string>)}`)).body;
const create = async ({ token }: { token: string }, email?: string, observation?: string) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10, email, observation } })).body;
const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

const made = [];
for (const [owner, email, observation] of [
  [store, 'Ana.Souza@example.com', 'Pedido 1042, rua São João'],
  [store, 'rui@example.com', 'PEDIDO 1043: desconto_de 10%, cupom n_1'],
  [other, 'ana.souza@example.com', 'c:\\nota maçã'.normalize('NFD')],
  [other, undefined, undefined],
] as const) {
  made.push(await create(owner, email, observation));
  // Each payment has its own millisecond, so that a time tells them apart.
  await new Promise((resolve) => setTimeout(resolve, 2));
}
const [first, second, third, fourth] = made.map(({ id }) => id);
await system.bank('/bank/pay', { pixCopiaECola: made[1]!.qrCopyPaste });
await system.waitForStatus(store, second!, 'approved');
const pix = (await admin(`/admin/payments/${second}`)).body.pix[0]!;
const today = dayOf(new Date(made[0]!.createdAt));
const newestFirst = [fourth, third, second, first];

t.test('all of them, newest first, as reads show them, with their banks', async (t) => {
  const { items, ...totals } = await search({});
  t.strictSame(totals, { page: 1, limit: 50, total: 4, totalIsLowerBound: false });
  t.strictSame(ids({ items }), newestFirst);
  for (const item of items) t.strictSame(Object.keys(item).sort(), [...readFields, 'bank'].sort());
});

const found: [name: string, query: Record<string, string>, expected: unknown[]][] = [
  ['a store', { storeId: other.id }, [fourth, third]],
  ['a status', { status: 'approved' }, [second]],
  ['a store and a status', { storeId: other.id, status: 'approved' }, []],
  ['a store that does not exist', { storeId: '0190a5b0-0000-7000-8000-000000000000' }, []],
  ['from, inclusive', { from: made[2]!.createdAt }, [fourth, third]],
  ['to, inclusive', { to: made[2]!.createdAt }, [third, second, first]],
  ['from and to', { from: made[1]!.createdAt, to: made[2]!.createdAt }, [third, second]],
  ['another offset', { from: '2000-01-01T00:00:00-03:00', status: 'pending' }, [fourth, third, first]],
  ['São Paulo’s day', { from: today, to: today }, newestFirst],
  ['a day to its end', { from: '2020-01-01', to: addDays(today, -1) }, []],
  ['a time to come', { from: '2199-01-01T00:00:00Z' }, []],
  ['before all time', { to: '1969-01-01T00:00:00Z' }, []],
  ['the first and the last day', { from: '1800-01-01T00:00:00Z', to: '9999-12-31' }, newestFirst],
  ['the wrong way round', { from: '2199-01-02', to: '2199-01-01' }, []],
  ['a bank', { bank: 'default' }, newestFirst],
  ['a payment’s id', { q: first! }, [first]],
  ['the same, in capitals', { q: first!.toUpperCase() }, [first]],
  ['a txid', { q: first!.replaceAll('-', '') }, [first]],
  ['an endToEndId', { q: pix.endToEndId }, [second]],
  ['an endToEndId of nobody', { q: `E${'0'.repeat(31)}` }, []],
  ['an e-mail, in any case', { q: ' ANA.SOUZA@EXAMPLE.COM ' }, [third, first]],
  ['an e-mail of one store', { q: 'ana.souza@example.com', storeId: store.id }, [first]],
  ['an id and another store', { q: first!, storeId: other.id }, []],
  ['a part of an e-mail', { q: 'na.SOUZA@' }, [third, first]],
  ['a part of an observation', { q: 'pedido 10' }, [second, first]],
  ['a part in capitals with accents', { q: 'SÃO JOÃO' }, [first]],
  ['a part whose accents are characters of their own', { q: 'São João'.normalize('NFD') }, [first]],
  ['a part of an observation that has such accents', { q: 'Maçã'.normalize('NFC') }, [third]],
  ['a part of one character', { q: '%' }, [second]],
  ['a per cent as it is', { q: '10%' }, [second]],
  ['an underscore as it is', { q: 'n_' }, [second]],
  ['a backslash as it is', { q: 'c:\\' }, [third]],
  ['a part of a store', { q: 'souza', storeId: other.id }, [third]],
  ['a part and a day', { q: 'pedido', from: today, status: 'pending' }, [first]],
  ['an e-mail and an observation together', { q: 'example.com\npedido' }, []],
  ['another part', { q: 'pedido 11' }, []],
  ['a quote', { q: "' or 1=1 --" }, []],
];
for (const [name, query, expected] of found) {
  t.test(`find by ${name}`, async (t) => {
    const { items, total, totalIsLowerBound } = await search(query);
    t.strictSame(ids({ items }), expected);
    t.equal(total, expected.length);
    t.equal(totalIsLowerBound, false);
  });
}

t.test('page by page, whatever is filtered by', async (t) => {
  for (const filter of [{}, { from: '2000-01-01T00:00:00Z' }]) {
    const pages = [];
    for (let page = 1; page <= 3; page += 1) {
      const found = await search({ ...filter, page, limit: 2 });
      t.match(found, { page, limit: 2, total: 4 });
      pages.push(ids(found));
    }
    t.strictSame(pages, [newestFirst.slice(0, 2), newestFirst.slice(2), []]);
  }
  t.match(await search({ q: first!, page: 9_007_199_254_740_991, limit: 200 }), { items: [], total: 1 });
});

const date = (name: string) => `${name} must be a valid ISO 8601 date string`;
const oneOf = `status must be one of the following values: ${statuses.join(', ')}`;
const refused: [query: string, message: string][] = [
  ['page=0', 'page must not be less than 1'],
  ['page=9007199254740993', 'page must be an integer number'],
  ['limit=201', 'limit must not be greater than 200'],
  ['limit=1e2', 'limit must be an integer number'],
  ['storeId=x', 'storeId must be a UUID'],
  ['storeId=%00', 'storeId must be a UUID'],
  ['status=', oneOf],
  ['status=PAID', oneOf],
  ['status=paid&status=pending', oneOf],
  ['from=yesterday', date('from')],
  ['from=2026-01-01T00:00:00', date('from')],
  ['from=2026-02-30', date('from')],
  ['from=2026-02-30T00:00:00Z', date('from')],
  ['from=2026-01-01&from=2026-01-02', date('from')],
  ['to=', date('to')],
  ['to=%2B275760-09-13T00:00:00Z', date('to')],
  ['q=', 'q should not be empty'],
  ['q=%20', 'q should not be empty'],
  ['q=a%00b', 'q must not contain null characters'],
  ['q=a&q=b', 'q must be a string'],
  [`q=${'😀'.repeat(321)}`, 'q must be shorter than or equal to 320 characters'],
  [`q=${'x'.repeat(321)}`, 'q must be shorter than or equal to 320 characters'],
];
for (const [query, message] of refused) {
  t.test(`refused ${query.slice(0, 40)}`, async (t) =>
    isError(t, await admin(`/admin/payments?${query}`), 400, message),
  );
}
