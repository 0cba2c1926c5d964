import { readFileSync } from 'node:fs';
import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';

/** The payer's page, without a browser (Contract: payer's page). */
let clock = () => new Date();
const system = await startSystem({ now: () => clock(), env: { REFUND_RETRY_SECONDS: '1' } });
t.teardown(system.stop);
const name = '<b>Café</b> & "Cia" do Mercado';
const store = await system.createStore({ name, reviewAbove: 500 });
const personal = { email: 'ana@example.com', observation: 'Pedido secreto 1042' };
let created = 0;
const create = async (amount = 19.9, fields: Record<string, unknown> = {}) => {
  created += 1;
  const reference = `secret ${created}`;
  const body = { amount, ...personal, reference, ...fields };
  return (await system.api('/api-public/payments', { token: store.token, body })).body;
};
const open = (id: string, method = 'GET') => system.api(`/pay/${id}`, { method });
const pay = (payment: { qrCopyPaste: string | null }, valor?: string) =>
  system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, ...(valor ? { valor } : {}) });
const stateOf = (page: string) => /data-state="(\w+)"/.exec(page)?.[1];
const titleOf = (page: string) => /<h1>([^<]*)</.exec(page)?.[1]?.replaceAll('\u00a0', ' ');

/** Checks that hold for every state. */
async function shows(t: Test, id: string, state: string, title: string): Promise<string> {
  const { status, text, headers } = await open(id);
  t.equal(status, 200);
  t.equal(stateOf(text), state);
  t.equal(titleOf(text), title);
  t.match(text, '&lt;b&gt;Café&lt;/b&gt; &amp; &quot;Cia&quot; do Mercado');
  t.notMatch(text, /<b>Café|ana@example|secret|store_?id/i, 'no HTML of the store, nothing personal');
  t.notMatch(text, /<script(?![^>]*src=)|<style|style=|onclick/, 'nothing inline');
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('x-robots-tag'), 'noindex');
  t.match(text, '<meta name="robots" content="noindex">');
  t.match(headers.get('content-security-policy'), /default-src 'none'; script-src 'self'; style-src 'self'/);
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.equal(headers.get('referrer-policy'), 'no-referrer');
  return text;
}

t.test('a name from right to left turns nothing else round', async (t) => {
  const [one, other] = [await create(), await create()];
  await pay(one);
  await eventually('paid', async () => stateOf((await open(one.id)).text) === 'paid' || undefined);
  await system.admin(`/admin/payments/${other.id}/status`, { body: { status: 'not_approved' } });
  for (const { id } of [one, other]) t.match((await open(id)).text, /<bdi>&lt;b&gt;Café[^<]*<\/bdi>/);
});

t.test('waiting: the amount, the code as picture and text, the steps, the time', async (t) => {
  const payment = await create(1234.5);
  const page = await shows(t, payment.id, 'waiting', 'Pague R$ 1.234,50 com Pix');
  t.match(page, `<img class="qr" src="/qr/${payment.id}.svg"`);
  t.match(page, `readonly spellcheck="false">${payment.qrCopyPaste}</textarea>`);
  t.match(page, /Copiar código/);
  t.match(page, `<noscript><meta http-equiv="refresh" content="10; url=/pay/${payment.id}"></noscript>`);
  const left = Number(/data-seconds-left="(\d+)"/.exec(page)?.[1]);
  t.ok(left > 86_300 && left <= 86_400, `${left} s`);
  t.equal((await system.api(`/qr/${payment.id}.svg`)).status, 200);
  t.equal((await open(payment.id.toUpperCase())).status, 200, 'an id in capitals is the same id');
});

t.test('an administrator’s payment has its page, too, as it has its QR image', async (t) => {
  const made = await system.admin(`/admin/stores/${store.id}/payments`, { body: { amount: 10 } });
  t.equal((await open(made.body.id)).status, 200);
});

t.test('preparing: no code yet, and no image', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const payment = await create();
  const page = await shows(t, payment.id, 'preparing', 'Preparando o código Pix');
  t.notMatch(page, /<img|<textarea/);
  t.match(page, 'http-equiv="refresh"');
  await system.bank('/bank/faults', {});
  await eventually('its code', async () =>
    stateOf((await open(payment.id)).text) === 'waiting' ? true : undefined,
  );
});

t.test('paid: for the payer it stays paid', async (t) => {
  const payment = await create();
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  const page = await shows(t, payment.id, 'paid', 'Pagamento confirmado');
  t.match(page.replaceAll('\u00a0', ' '), 'R$ 19,90');
  t.notMatch(page, /http-equiv="refresh"|<textarea/);
  for (const status of ['paid', 'withdrawal_processing', 'rejected']) {
    await system.admin(`/admin/payments/${payment.id}/status`, { body: { status } });
    await shows(t, payment.id, 'paid', 'Pagamento confirmado');
  }
});

t.test('paid, and given back in part or whole: what the payer sent, and what came back', async (t) => {
  const payment = await create(100);
  const { body } = await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  const refunds = `/admin/payments/${payment.id}/refunds`;
  const money = async () => {
    const page = (await shows(t, payment.id, 'paid', 'Pagamento confirmado')).replaceAll('\u00a0', ' ');
    return [...page.matchAll(/R\$ ([\d,]+)/g)].map(([, amount]) => amount);
  };
  t.strictSame(await money(), ['100,00']);
  await system.admin(refunds, { body: { amount: 40 } });
  const both = await eventually('the refund', async () => ((await money()).length > 1 ? money() : undefined));
  t.strictSame(both, ['100,00', '40,00']);
  for (const status of ['paid', 'withdrawal_processing'])
    await system.admin(`/admin/payments/${payment.id}/status`, { body: { status } });
  await system.bank('/bank/refunds', { endToEndId: body.endToEndId });
  await eventually('the MED', async () => ((await money())[1] === '100,00' ? true : undefined));
});

t.test('in review, and not approved', async (t) => {
  const payment = await create(600);
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'review');
  const page = await shows(t, payment.id, 'review', 'Pagamento em análise');
  t.match(page, 'Não é preciso pagar de novo');
  t.match(page, 'http-equiv="refresh"');
  await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  const closed = await shows(t, payment.id, 'closed', 'Pagamento não aprovado');
  t.notMatch(closed, /http-equiv="refresh"|<textarea|<img/);
});

t.test('overdue: past its time, while a Pix may still be seen', async (t) => {
  const payment = await create(10, { expiresIn: 60 });
  clock = () => new Date(Date.now() + 61_000);
  t.teardown(() => {
    clock = () => new Date();
  });
  const page = await shows(t, payment.id, 'overdue', 'O prazo para pagar terminou');
  t.notMatch(page, /<textarea|<img/);
});

t.test('what does not exist is a page, too', async (t) => {
  const unknown = '0190a5b0-0000-7000-8000-000000000000';
  const { id } = await create();
  for (const path of [
    unknown,
    'x',
    '',
    '/',
    `${id}/x`,
    `${id}.png`,
    '..%2f',
    '%zz',
    '%ff',
    `${id}%`,
    'a'.repeat(3_000),
    `${unknown}/events`,
  ]) {
    const { status, text, headers } = await open(path);
    t.equal(status, 404, path);
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    t.match(headers.get('content-security-policy'), /script-src 'self'/);
    t.equal(headers.get('x-robots-tag'), 'noindex');
    t.equal(titleOf(text), 'Pagamento não encontrado');
  }
  t.equal((await system.api('/pay')).status, 404);
  const posted = await system.api(`/pay/${id}`, { body: {} });
  t.equal(posted.status, 404);
  t.equal(titleOf(posted.text), 'Pagamento não encontrado');
});

t.test('HEAD', async (t) => {
  const { id } = await create();
  const head = await open(id, 'HEAD');
  t.strictSame([head.status, head.text], [200, '']);
  t.equal(head.headers.get('x-robots-tag'), 'noindex');
  t.equal((await open('0190a5b0-0000-7000-8000-000000000000', 'HEAD')).status, 404);
  t.equal((await open(`${id}/events`, 'HEAD')).status, 404, 'a stream has no HEAD: nobody would read it');
});

t.test('page, style and script are less than 30 KB, and browsers keep the last two', async (t) => {
  const { id } = await create(19.9, { observation: 'x'.repeat(2_000) });
  const page = (await open(id)).text;
  const assets = [...page.matchAll(/(?:href|src)="(\/pay\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  t.equal(assets.length, 3);
  let bytes = Buffer.byteLength(page);
  for (const path of assets) {
    const { status, text, headers } = await system.api(path);
    t.equal(status, 200, path);
    t.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    bytes += Buffer.byteLength(text);
  }
  t.ok(bytes < 30_000, `${bytes} bytes`);
});

t.test('below a path of PUBLIC_URL every address has it', async (t) => {
  const env = { ...system.env, PORT: '0', ADMIN_PORT: '0', PUBLIC_URL: 'https://loja.example/pix/' };
  const api = await startApi(readEnvironment(apiSettings, env), createLogger('api', 'silent'));
  t.teardown(() => api.close());
  const { id } = await create();
  const page = await (await fetch(`http://127.0.0.1:${api.port}/pay/${id}`)).text();
  const addresses = [...page.matchAll(/(?:href="|src="|data-events="|url=)([^"]+)"/g)].map(
    ([, path]) => path!,
  );
  t.equal(addresses.length, 6);
  for (const path of addresses) t.ok(path.startsWith('/pix/'), path);
});

t.test('the documents do not list pages', async (t) => {
  const document = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  t.notMatch(document, '/pay/');
});
