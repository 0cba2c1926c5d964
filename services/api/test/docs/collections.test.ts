import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The collections of requests that the reference offers. */
const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({ dispatcher: false, env: { TEST_BANK_FILE: banks.write() } });
t.teardown(async () => {
  await system.stop();
  await banks.close();
});
// The only store for which every operation exists.
const store = await system.createStore({ test: true, tokenMay: ['refund', 'cancel'] });
const { token } = store;
const create = async () => (await system.api('/api-public/payments', { token, body: { amount: 5 } })).body;

t.test('every request of /docs/requests.http is answered with success', async (t) => {
  const { text, headers } = await system.api('/docs/requests.http');
  t.match(headers.get('content-type'), 'text/plain');
  const [pending, paid] = [await create(), await create()];
  const paying = { token, body: { do: 'pay' } };
  await system.api(`/api-public/payments/${paid.id}/test`, paying);
  await system.waitForStatus(store, paid.id, 'approved');
  const [variables = '', ...requests] = text.split(/^### .*\n/m);
  const values = new Map(
    [...variables.matchAll(/^@(\w+) = (.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  t.equal(values.get('baseUrl'), system.env.PUBLIC_URL);
  values.set('token', token).set('baseUrl', system.url);
  t.ok(requests.length >= 7);
  for (const request of requests) {
    values.set('id', /\/(refunds|test)/.test(request) ? paid.id : pending.id);
    const filled = request.replace(/\{\{(\w+)\}\}/g, (_place, name) => values.get(name) ?? '');
    const [head = '', ...body] = filled.split('\n\n');
    const [line = '', ...lines] = head.trim().split('\n');
    const [method = '', url = ''] = line.split(' ');
    const named = Object.fromEntries(lines.map((one) => one.split(': ')));
    const response = await fetch(url, {
      method,
      headers: named,
      ...(body.join('').trim() !== '' && { body: body.join('\n\n') }),
    });
    t.equal(response.status, url.endsWith('/test') ? 202 : 200, line);
    await response.arrayBuffer();
  }
});

t.test('the Postman collection knows the service’s address, and has every request', async (t) => {
  const { body } = await system.api('/docs/postman.json');
  t.match(body.info.schema, 'collection/v2.1.0');
  t.match(
    body.variable.find(({ key }: { key: string }) => key === 'baseUrl'),
    { value: system.env.PUBLIC_URL },
  );
  const text = JSON.stringify(body);
  const { body: document } = await system.api('/docs/json');
  for (const item of Object.values<Record<string, { summary: string }>>(document.paths))
    for (const { summary } of Object.values(item)) t.ok(text.includes(JSON.stringify(summary)), summary);
});
