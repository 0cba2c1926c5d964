import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** Texts from stores, payers, receivers and administrators are never markup on a page. */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
t.teardown(system.stop);
const script = '<script>alert(1)</script>';
const breakout = `"'><img src=x onerror=alert(1)>`;
const text = `${script}${breakout}&lt;b&gt;`;
const shown =
  '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;lt;b&amp;gt;';
const receiver = await startReceiver({ answer: () => ({ status: 500, body: text }) });
t.teardown(receiver.close);

const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: text }, '/panel/sign-in');

t.test('every text that others set', async (t) => {
  const store = await system.createStore({ name: text });
  const webhookUrl = `${receiver.url}?q='"&x=%22%3E%3Cscript%3E`;
  const email = `"<script>alert(1)</script>"@example.com`;
  const fields = { amount: 10, observation: text, webhookUrl, email };
  const call = { token: store.token, headers: { 'x-request-id': 'request-1' } };
  const { body: payment } = await system.api('/api-public/payments', { ...call, body: fields });
  t.equal(payment.observation, text);
  const path = `/panel/payments/${payment.id}`;
  const move = await person.post(`${path}/status`, { status: 'not_approved', reason: text }, path);
  t.equal(move.status, 303);
  await eventually('dead deliveries', async () => {
    const { body } = await system.admin(`/admin/payments/${payment.id}`);
    return body.deliveries.filter(({ state }: { state: string }) => state === 'dead').length === 2
      ? true
      : undefined;
  });
  const deliveries = (await system.admin(`/admin/payments/${payment.id}`)).body.deliveries;
  await person.post(`${path}/deliveries/${deliveries[0]!.id}/redeliver`, {}, path);
  await person.post(`/panel/stores/${store.id}`, { name: `${text}2`, maxAmount: '4.000,00' });

  const pages = [
    '/panel',
    '/panel/stores',
    `/panel/stores/${store.id}`,
    `/panel/stores/${store.id}/store`,
    `/panel/stores/${store.id}/payments/new`,
    '/panel/payments?q=&status=&storeId=',
    path,
    `${path}/live`,
    '/panel/deliveries',
    '/panel/deliveries/endpoints',
    '/panel/reviews',
    '/panel/refunds',
    '/panel/unmatched-pix',
    '/panel/charge-problems',
    '/panel/changes',
    `/panel/payments?q=${encodeURIComponent(text)}`,
    `/panel/sign-in?back=${encodeURIComponent(text)}`,
    `/panel/stores?done=${encodeURIComponent(text)}`,
    `/panel/deliveries?count=${encodeURIComponent(text)}`,
    `/panel/${encodeURIComponent(text)}`,
  ];
  for (const page of pages) {
    const answer = await person.get(page);
    t.ok([200, 303, 404].includes(answer.status), `${page.slice(0, 60)} ${answer.status}`);
    t.notMatch(answer.text, /<script>|<img src=x|<b>|onerror=alert\(1\)>[^&]*"/, page.slice(0, 60));
  }
  const detail = (await person.get(path)).text;
  t.ok(
    detail.split(shown).length > 4,
    'observation, reason, answers and the name of who did it are there, as text',
  );
});

t.test('an address that can’t be decoded is a page, too', async (t) => {
  for (const path of ['/panel/%zz', '/panel/x/%', '/panel/%ff?q=%zz', `/panel/${'%zz'.repeat(3_000)}`]) {
    const { status, text: page, headers } = await person.get(path);
    t.equal(status, 404, path.slice(0, 40));
    t.match(headers.get('content-type'), 'text/html');
    t.match(page, 'Página não encontrada');
  }
  t.match((await person.get('/admin/%zz')).headers.get('content-type'), 'application/json');
});

t.test('what was typed into a form comes back as text', async (t) => {
  const typed = await person.post('/panel/stores', { name: text, feePercent: text });
  t.equal(typed.status, 400);
  t.match(typed.text, `value="${shown}"`);
  t.notMatch(typed.text, script);
});

t.test('a wrong address is explained in Portuguese, without money where there is none', async (t) => {
  for (const [path, message] of [
    ['payments?page=0', 'Página: Deve ser no mínimo 1.'],
    ['changes?test=x', 'Lojas de testes: Valor inválido.'],
    ['payments.csv?for=word', 'Formato: Valor inválido.'],
  ] as const) {
    const { status, text } = await person.get(`/panel/${path}`);
    t.equal(status, 400, path);
    t.match(text, `<h1>${message}</h1>`);
  }
  const cookie = [...person.cookies].map((one) => one.join('=')).join('; ');
  const headers = { cookie, 'content-type': 'application/json' };
  const answer = await fetch(`${system.adminUrl}/panel/stores`, { method: 'POST', headers, body: '{}' });
  t.equal(answer.status, 415);
  t.match(await answer.text(), 'O que foi enviado não é um formulário deste painel.');
});

t.test('a page beyond the last one is the last one', async (t) => {
  const { id } = await system.createStore({ name: 'Papelaria' });
  for (const path of ['/panel/changes', `/panel/stores/${id}/changes`, '/panel/payments']) {
    const { status, text } = await person.get(`${path}?page=99999999999`);
    t.equal(status, 200, path);
    t.match(text, '<td role="cell"', path);
    t.notMatch(text, '99999999999', path);
  }
});

t.test('odd bytes in a query or a form are answered, never with a 5xx', async (t) => {
  const queries = [
    'q=%00',
    'q=%ff%fe',
    'q=%F0%9F',
    'status=x',
    'storeId=x',
    'page=0',
    'page=x',
    'page=99999999999',
    'from=x',
    'from=2026-02-31',
    'to=9999-12-31',
    'q=a&q=b',
    'constructor=1&__proto__=2',
  ];
  for (const query of queries) {
    for (const list of [
      'payments',
      'deliveries',
      'reviews',
      'refunds',
      'unmatched-pix',
      'charge-problems',
      'changes',
    ]) {
      const { status } = await person.get(`/panel/${list}?${query}`);
      t.ok(status === 200 || status === 400, `${list}?${query}: ${status}`);
    }
  }
  for (const name of ['\0', '\ud800', ' ', 'x'.repeat(201)]) {
    const { status } = await person.post('/panel/stores', { name });
    t.ok(status === 400 || (status === 303 && name === '\ud800'), JSON.stringify(name).slice(0, 20));
  }
  const big = await person.post('/panel/stores', { name: 'x'.repeat(1_100_000) });
  t.equal(big.status, 413);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"x"}' };
  t.equal(
    (await fetch(`${system.adminUrl}/panel/stores`, { ...init, redirect: 'manual' })).status,
    303,
    'signed out',
  );
});
