import { addDays, dayOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** The panel's pages for whoever does the books. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore({ name: 'Café do Mercado', feePercent: 2 });
const person = panelClient(system.adminUrl);
await person.signIn();
const get = async (path: string) => (await person.get(path)).text;
const today = dayOf(new Date());

for (const [amount, observation] of [
  [100, 'Pedido 1042'],
  [50.5, '=Pedido 1043'],
  [8, undefined],
] as const) {
  const body = { amount, observation, email: 'ana@example.com' };
  const payment = (await system.api('/api-public/payments', { token: store.token, body })).body;
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await system.waitForStatus(store, payment.id, 'approved');
}

t.test('payments: order and customer, a part of either, days in the address, and the sum', async (t) => {
  const all = await get('/panel/payments');
  t.match(all, 'Pedido 1042');
  t.match(all, 'ana@example.com');
  const found = await get(`/panel/payments?q=pedido&from=${today}&to=${today}`);
  t.match(found, /2 pagamentos, no total de <strong><span class="money">R\$ 150,50/);
  t.match(found, `href="/panel/payments.csv?q=pedido&amp;from=${today}&amp;to=${today}"`);
  const csv = await person.get(`/panel/payments.csv?q=pedido&from=${today}`);
  t.match(csv.headers.get('content-type'), 'text/csv');
  t.match(parse(csv.text, { columns: true }), [
    { amount: '50.50', observation: "'=Pedido 1043" },
    { amount: '100.00', observation: 'Pedido 1042' },
  ]);
});

t.test('totals by day and store, with a chart', async (t) => {
  const byDay = await get('/panel/totals');
  t.match(byDay, today.split('-').reverse().join('/'));
  t.match(byDay, 'R$ 158,50');
  t.match(byDay, '<svg class="chart"');
  const byStore = await get(`/panel/totals?by=store&from=${today}&to=${today}`);
  t.match(byStore, `<a class="words" href="/panel/stores/${store.id}/statement">Café do Mercado</a>`);
  t.match(await get('/panel/totals?to=2020-01-01&from=2020-01-01'), 'Nada neste período');
});

t.test('a period that is longer than a chart has none, and says so', async (t) => {
  const from = addDays(today, -399);
  t.match(await get(`/panel/totals?from=${from}&to=${today}`), '<svg class="chart"', 'four hundred days');
  const long = await get(`/panel/totals?from=${addDays(from, -1)}&to=${today}`);
  t.notMatch(long, '<svg class="chart"');
  t.match(long, 'O gráfico mostra até 400 dias.');
  t.match(await get(`/panel/totals?by=store&from=${addDays(from, -1)}&to=${today}`), '<svg class="chart"');
});

t.test('a period of which only the end is given', async (t) => {
  t.match(await get('/panel/totals?to=2024-03-31'), 'Soma de 02/03/2024 a 31/03/2024');
  t.match(
    await get(`/panel/stores/${store.id}/statement?to=2024-03-20`),
    'Extrato de 01/03/2024 a 20/03/2024',
  );
  const [year, month, day] = addDays(today, -29).split('-');
  t.match(await get(`/panel/totals?to=${addDays(today, 60)}`), `Soma de ${day}/${month}/${year} a`);
});

t.test('a statement on screen and as CSV', async (t) => {
  const page = await get(`/panel/stores/${store.id}/statement`);
  t.match(page, /Saldo final<\/dt><dd><strong><span class="money">R\$ 155,33/);
  const path = `/panel/stores/${store.id}/statement.csv?from=${today}&by=month`;
  t.match(parse(await get(path), { columns: true }), [
    { period: today.slice(0, 7), received: '158.50', fees: '3.17', givenBack: '0.00', closing: '155.33' },
  ]);
});

t.test('exports of refunds and deliveries, and wrong days', async (t) => {
  for (const list of ['refunds', 'deliveries']) {
    t.match(await get(`/panel/${list}`), `href="/panel/${list}.csv"`);
    t.match(await get(`/panel/${list}.csv`), /^id,/);
  }
  for (const path of ['totals', 'payments', `stores/${store.id}/statement`])
    t.equal((await person.get(`/panel/${path}?from=x`)).status, 400, path);
  t.equal((await person.get('/panel/totals?from=2026-02-02&to=2026-02-01')).status, 400);
});

t.test('exports need a session', async (t) => {
  const answer = await panelClient(system.adminUrl).get('/panel/payments.csv');
  t.equal(answer.status, 303);
});
