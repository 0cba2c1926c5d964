import { addDays, dayOf } from '@payments/domain/days';
import { call } from '@payments/testing/http';
import { startBanks } from '@payments/testing/several-banks';
import { eventually, startSystem } from '@payments/testing/system';
import { parse } from 'csv-parse/sync';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** Filters by day and bank on the panel's lists, with two banks. */
const banks = await startBanks([{ id: 'first' }, { id: 'second' }]);
t.teardown(banks.close);
const system = await startSystem({ dispatcher: false, env: { BANKS_FILE: banks.write() } });
t.teardown(system.stop);
const store = await system.createStore();
const person = panelClient(system.adminUrl);
await person.signIn();
const get = async (path: string) => (await person.get(path)).text;
const today = dayOf(new Date());
const [yesterday, tomorrow] = [addDays(today, -1), addDays(today, 1)];

/** Leaves a payment of this amount with a refund that its bank does not finish. */
async function refundAt(id: string, amount: number): Promise<void> {
  const bank = (path: string, body: unknown) => call(banks.at(id).url + path, { body });
  const body = { amount, webhookUrl: 'https://example.com/hook' };
  const payment = (await system.api('/api-public/payments', { token: store.token, body })).body;
  await bank('/bank/faults', { slowRefundsMs: 600_000 });
  await bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor: '5.00' });
  await system.waitForStatus(store, payment.id, 'review');
  await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  await eventually('a refund in progress', async () => {
    const { refunds } = (await system.admin(`/admin/payments/${payment.id}`)).body;
    return refunds[0]?.state === 'processing' || undefined;
  });
}
await refundAt('first', 10);
await system.admin('/admin/banks/first/pause', { body: { reason: 'manutenção' } });
await refundAt('second', 20);

t.test('refunds by day and bank, with their sum, in the address of every link', async (t) => {
  t.match(await get('/panel/refunds'), /2 devoluções, no total de <strong><span class="money">R\$ 10,00/);
  const query = `bank=second&from=${today}&to=${today}`;
  const found = await get(`/panel/refunds?${query}`);
  t.match(found, /1 devolução, no total de <strong><span class="money">R\$ 5,00/);
  t.match(found, `href="/panel/refunds.csv?${query.replaceAll('&', '&amp;')}"`);
  t.match(found, `href="/panel/refunds?show=bank&amp;${query.replaceAll('&', '&amp;')}"`);
  t.match(found, '<option value="second" selected>');
  const csv = parse(await get(`/panel/refunds.csv?${query}`), { columns: true });
  t.match(csv, [{ bank: 'second', amount: '5.00' }]);
  t.equal(csv.length, 1);
  for (const none of [`to=${yesterday}`, `from=${tomorrow}`, 'show=bank', 'show=owed']) {
    t.match(await get(`/panel/refunds?${none}`), 'Nada encontrado', none);
    t.strictSame(parse(await get(`/panel/refunds.csv?${none}`), { columns: true }), [], none);
  }
});

t.test('deliveries by day', async (t) => {
  const query = `from=${today}&to=${today}`;
  const found = await get(`/panel/deliveries?${query}`);
  t.match(found, 'https://example.com/hook');
  t.match(found, `href="/panel/deliveries.csv?${query.replace('&', '&amp;')}"`);
  const rows = async (csv: string) => parse(await get(csv), { columns: true }).length;
  t.equal(await rows(`/panel/deliveries.csv?${query}`), await rows('/panel/deliveries.csv'));
  for (const none of [`to=${yesterday}`, `from=${tomorrow}`]) {
    t.match(await get(`/panel/deliveries?${none}`), 'Nenhuma entrega corresponde', none);
    t.equal(await rows(`/panel/deliveries.csv?${none}`), 0, none);
  }
  await system.db.updateTable('deliveries').set({ state: 'dead', nextAttemptAt: null }).execute();
  t.match(await get('/panel/deliveries?state=dead'), 'Enviar todas de novo');
  const ofDays = await get(`/panel/deliveries?state=dead&${query}`);
  t.notMatch(ofDays, 'Enviar todas de novo', 'it would send other days, too');
});

t.test('payments and totals of one bank', async (t) => {
  const payments = await get('/panel/payments?bank=first');
  t.match(payments, '<option value="first" selected>');
  t.match(payments, /1 pagamento, no total de <strong><span class="money">R\$ 10,00/);
  t.match(payments, 'href="/panel/payments.csv?bank=first"');
  t.match(await get('/panel/totals?bank=second'), '<option value="second" selected>');
  for (const page of ['payments', 'refunds', 'totals'])
    t.equal((await person.get(`/panel/${page}?bank=third`)).status, 400, page);
});

t.test('the admin API has the same ranges', async (t) => {
  for (const list of ['refunds', 'deliveries']) {
    const total = async (query: string) => (await system.admin(`/admin/${list}?${query}`)).body.total;
    t.equal(await total(`from=${today}&to=${today}`), await total(''), list);
    t.equal(await total(`from=${tomorrow}`), 0, list);
    t.equal((await system.admin(`/admin/${list}?to=x`)).status, 400, list);
  }
});

t.test('a wrong filter is told in Portuguese', async (t) => {
  for (const [path, said] of [
    ['/panel/totals?from=2026-11-27&to=2026-11-25', 'Fim do período: Não pode ser antes do início.'],
    ['/panel/payments?from=31/02/2026', 'Início do período: Escolha um dia que exista.'],
    ['/panel/totals?to=31/02/2026', 'Fim do período: Escolha um dia que exista.'],
    [`/panel/stores/${store.id}/statement?from=31/02/2026`, 'Início do período: Escolha um dia que exista.'],
    [`/panel/payments?q=${'a'.repeat(321)}`, 'Busca: Pode ter no máximo 320 caracteres.'],
    ['/panel/payments?status=gone', 'Status: Valor inválido.'],
  ] as const) {
    const { status, text } = await person.get(path);
    t.match([status, text], [400, `<h1>${said}</h1>`], path);
  }
});
