import { eventually, startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { newPerson } from '../panel-people.ts';

/** The Pix that paid a payment, its endToEndId and its time, in the panel's lists and in the exports. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore({ name: 'Padaria' });
const create = async () =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
const pay = async (code: string | null, valor?: string) =>
  (await system.bank('/bank/pay', { pixCopiaECola: code, ...(valor && { valor }) })).body;

const [unpaid, paid] = [await create(), await create()];
const first = await pay(paid.qrCopyPaste);
await system.waitForStatus(store, paid.id, 'approved');
const second = await pay(paid.qrCopyPaste, '7.00');
await eventually('the second Pix to go back', async () => {
  const { refunds } = (await admin(`/admin/payments/${paid.id}`)).body;
  return refunds[0]?.state === 'refunded' || undefined;
});
const paidAt = (one: { horario: string }) => new Date(one.horario).toISOString();
const csvOf = async (path: string): Promise<Record<string, string>[]> =>
  parse((await admin(path)).text, { columns: true });

t.test('CSV of payments: the last two columns, empty before it is paid', async (t) => {
  const rows = await csvOf('/admin/payments.csv');
  t.strictSame(
    Object.keys(rows[0] ?? {}).slice(-3),
    ['reference', 'endToEndId', 'paidAt'],
    'new ones at the end',
  );
  const found = rows.map(({ id, endToEndId, paidAt }) => [id, endToEndId, paidAt]);
  t.strictSame(found, [
    [paid.id, first.endToEndId, paidAt(first)],
    [unpaid.id, '', ''],
  ]);
  const filtered = await csvOf(`/admin/payments.csv?q=${first.endToEndId}`);
  t.match(filtered, [{ id: paid.id, endToEndId: first.endToEndId }]);
});

t.test('the form for Excel has São Paulo’s time', async (t) => {
  const { text } = await admin('/admin/payments.csv?for=excel');
  const [head = '', row = ''] = text.slice(1).split('\r\n');
  t.match(head, /;endToEndId;paidAt$/);
  const time = new Intl.DateTimeFormat('pt-BR', {
    ...{ timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'medium' },
  }).format(new Date(first.horario));
  const [day = '', clock = ''] = time.split(', ');
  t.ok(row.endsWith(`;${first.endToEndId};${day} ${clock}`), row);
});

t.test('CSV of refunds: when the Pix was paid', async (t) => {
  const rows = await csvOf('/admin/refunds.csv');
  t.equal(Object.keys(rows[0] ?? {}).at(-1), 'paidAt');
  t.match(rows, [{ endToEndId: second.endToEndId, paidAt: paidAt(second) }]);
});

t.test('the panel’s lists: the search, the start pages, and the store’s profile', async (t) => {
  const owner = await newPerson(system);
  const own = await newPerson(system, { role: 'store_viewer', storeId: store.id });
  for (const [person, path] of [
    [owner, '/panel/payments'],
    [owner, '/panel'],
    [owner, `/panel/stores/${store.id}`],
    [own, '/panel/payments'],
    [own, '/panel'],
  ] as const) {
    const page = (await person.get(path)).text;
    t.match(page, `<span class="mono small wrap block">${first.endToEndId}</span>`, path);
    t.match(page, `datetime="${paidAt(first)}"`, path);
    t.notMatch(page, second.endToEndId, 'what did not pay it is on its own page');
  }
});
