import { foldTotals } from '@payments/database/totals/rows';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { startSystem, type TestStore } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** A list by reference and by time of creation (Contract: reading). */
const minute = 60_000;
// Ids have the real time, and payments are created at most a day after their id.
const today = dayOf(new Date());
const tomorrow = addDays(today, 1);
const start = startOf(tomorrow).getTime() - 4 * minute;
let clock = new Date(start);
const system = await startSystem({ dispatcher: false, now: () => clock });
t.teardown(system.stop);
const [store, neighbour] = [await system.createStore(), await system.createStore()];
const path = '/api-public/payments';

// Four payments before midnight in São Paulo, two after it.
const moments = [0, 1, 2, 3, 5, 6].map((minutes) => new Date(start + minutes * minute));
const created: string[] = [];
for (const [n, moment] of moments.entries()) {
  clock = moment;
  const reference = `pedido-${n}`;
  for (const { token } of [store, neighbour]) {
    const { body } = await system.api(path, { token, body: { amount: 5 + n, reference } });
    if (token === store.token) created.push(body.id);
  }
}
await system.admin(`/admin/payments/${created[2]}/status`, { body: { status: 'not_approved' } });

const list = (query: Record<string, string>, { token }: TestStore = store) =>
  system.api(`${path}?${new URLSearchParams(query)}`, { token });
const at = (n: number) => moments[n]!.toISOString();
const after = (n: number) => new Date(moments[n]!.getTime() + 1).toISOString();
const inSaoPaulo = (n: number) =>
  new Date(moments[n]!.getTime() - 180 * minute).toISOString().replace('Z', '-03:00');
const none = '0190a5b0-0000-7000-8000-000000000000';

const found: [name: string, query: Record<string, string>, expected: number[], total?: number][] = [
  ['reference', { reference: 'pedido-3' }, [3]],
  ['a part of a reference', { reference: 'pedido' }, []],
  ['a reference in another case', { reference: 'Pedido-3' }, []],
  ['a reference and its status', { reference: 'pedido-2', status: 'not_approved' }, [2]],
  ['a reference and another status', { reference: 'pedido-2', status: 'pending' }, []],
  ['a reference and its time', { reference: 'pedido-2', from: at(2), to: at(2) }, [2]],
  ['a reference and another time', { reference: 'pedido-2', from: at(3) }, []],
  ['from, included', { from: at(2) }, [5, 4, 3, 2]],
  ['just after', { from: after(2) }, [5, 4, 3]],
  ['to, included', { to: at(2) }, [2, 1, 0]],
  ['one moment', { from: at(4), to: at(4) }, [4]],
  ['over the days', { from: at(1), to: at(4) }, [4, 3, 2, 1]],
  ['another offset', { from: inSaoPaulo(3) }, [5, 4, 3]],
  ['a day of São Paulo', { from: today, to: today }, [3, 2, 1, 0]],
  ['the next day', { from: tomorrow }, [5, 4]],
  ['a status and a time', { status: 'not_approved', from: at(1), to: '2199-01-01T00:00:00Z' }, [2]],
  ['a status and whole days', { status: 'pending', from: addDays(today, -1), to: tomorrow }, [5, 4, 3, 1, 0]],
  ['the wrong way round', { from: at(3), to: at(1) }, []],
  ['all time', { from: '1800-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }, [5, 4, 3, 2, 1, 0]],
  ['the first year', { from: '0001-01-01T00:00:00Z', to: '0099-12-31T23:59:59Z' }, []],
  ['from the first year on', { from: '0000-02-29T00:00:00Z' }, [5, 4, 3, 2, 1, 0]],
  ['after, within a time', { from: at(1), after: '4' }, [3, 2, 1], 5],
  ['after an unknown payment', { from: at(1), after: none }, [], 5],
];
for (const [name, query, expected, total = expected.length] of found) {
  t.test(name, async (t) => {
    const named =
      query.after && query.after !== none ? { ...query, after: created[Number(query.after)]! } : query;
    const { status, body } = await list(named);
    t.equal(status, 200);
    t.strictSame(
      body.items.map(({ id }: { id: string }) => id),
      expected.map((n) => created[n]),
    );
    t.equal(body.total, total);
    t.ok(body.items.every(({ storeId }: { storeId: string }) => storeId === store.id));
  });
}

t.test('page by page', async (t) => {
  const pages = [];
  for (const page of ['1', '2', '3']) {
    const { body } = await list({ from: at(1), limit: '2', page });
    t.match(body, { page: Number(page), limit: 2, total: 5 });
    pages.push(...body.items.map(({ id }: { id: string }) => id));
  }
  t.strictSame(
    pages,
    [5, 4, 3, 2, 1].map((n) => created[n]),
  );
});

t.test('totals stay the same when the kept days are folded', async (t) => {
  t.ok((await foldTotals(system.db, 100)) > 0);
  const total = async (query: Record<string, string>) => (await list(query)).body.total;
  t.equal(await total({ from: today }), 6);
  t.equal(await total({ from: today, to: today, status: 'not_approved' }), 1);
  t.equal(await total({ from: at(1), to: tomorrow, status: 'pending' }), 4);
});

t.test('another store sees its own, and nothing behind this store’s payment', async (t) => {
  const { body } = await list({ reference: 'pedido-3' }, neighbour);
  t.match(body, { total: 1, items: [{ storeId: neighbour.id }] });
  t.strictSame((await list({ after: created[5]! }, neighbour)).body.items, []);
  const empty = await system.createStore();
  for (const query of [{ reference: 'pedido-3' }, { from: at(0) }, { to: at(5) }] as Record<string, string>[])
    t.match((await list(query, empty)).body, { items: [], total: 0 });
});

t.test('an administrator’s creation can be found by its reference, too', async (t) => {
  const body = { amount: 10, reference: 'balcão 1' };
  const made = await system.admin(`/admin/stores/${store.id}/payments`, { body });
  t.equal(made.body.reference, 'balcão 1');
  t.match((await list({ reference: 'balcão 1' })).body, {
    total: 1,
    items: [{ id: made.body.id, isPublic: false }],
  });
});

const date = (name: string) => `${name} must be a valid ISO 8601 date string`;
const refused: [query: string, message: string][] = [
  ['reference=', 'reference must be longer than or equal to 1 characters'],
  ['reference=a&reference=b', 'reference must be a string'],
  [`reference=${'x'.repeat(101)}`, 'reference must be shorter than or equal to 100 characters'],
  ['reference=a%00', 'reference must not contain null characters'],
  ['from=ontem', date('from')],
  ['from=', date('from')],
  ['from=1772460481', date('from')],
  ['from=2026-02-30T00:00:00Z', date('from')],
  ['from=2026-01-01T00:00:00', date('from')],
  ['from=2026-01-01&from=2026-01-02', date('from')],
  ['to=2026-13-01T00:00:00Z', date('to')],
  ['to=%2B275760-09-13T00:00:00Z', date('to')],
  ['to=x&from=x&reference=&after=x', 'after must be a UUID'],
  ['to=x&from=x&reference=', 'reference must be longer than or equal to 1 characters'],
  ['to=x&from=x', date('from')],
];
for (const [query, message] of refused) {
  t.test(`refused ${query.slice(0, 40)}`, async (t) =>
    isError(t, await system.api(`${path}?${query}`, { token: store.token }), 400, message),
  );
}
