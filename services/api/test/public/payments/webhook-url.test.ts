import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** Valid and invalid webhookUrls, with and without private receivers (Contract: addresses). */
const local = await startSystem({ dispatcher: false });
t.teardown(local.stop);
const strict = await startSystem({ dispatcher: false, env: { WEBHOOK_ALLOW_PRIVATE: '' } });
t.teardown(strict.stop);

const table: [url: string, byDefault: boolean, locally: boolean][] = [
  ['https://loja.example/pix', true, true],
  ['https://loja.example:8443/a/b?c=d#e', true, true],
  ['http://localhost:3000/pix', false, true],
  ['http://127.0.0.1:3000/pix', false, true],
  ['http://10.0.0.1/', false, false],
  ['loja.example', false, false],
  ['ftp://loja.example/', false, false],
  ['https://user:secret@loja.example/', false, false],
  ['https://loja.example/\0', false, false],
  [`https://loja.example/${'a'.repeat(2100)}`, false, false],
];
const [byDefault, locally] = await Promise.all([strict.createStore(), local.createStore()]);
const places = [
  { kind: 'by default', system: strict, store: byDefault, column: 1 },
  { kind: 'with loopback allowed', system: local, store: locally, column: 2 },
] as const;
for (const { kind, system, store, column } of places) {
  for (const row of table) {
    const [url] = row;
    t.test(`webhookUrl ${JSON.stringify(url.slice(0, 50))}, ${kind}`, async (t) => {
      const body = { amount: 10, webhookUrl: url };
      const answer = await system.api('/api-public/payments', { token: store.token, body });
      if (!row[column]) return isError(t, answer, 400, 'webhookUrl must be a URL');
      t.equal(answer.status, 200);
      const read = await system.api(`/api-public/payments/${answer.body.id}`, { token: store.token });
      t.equal(read.body.webhookUrl, url, 'kept as it was written');
    });
  }
}

t.test('WEBHOOK_ALLOW_HTTP=false accepts https alone', async (t) => {
  const system = await startSystem({ dispatcher: false, env: { WEBHOOK_ALLOW_HTTP: 'false' } });
  t.teardown(system.stop);
  const { token } = await system.createStore();
  const create = (webhookUrl: string) =>
    system.api('/api-public/payments', { token, body: { amount: 10, webhookUrl } });
  for (const url of ['http://loja.example/pix', 'HTTP://loja.example/pix', 'http://127.0.0.1/'])
    isError(t, await create(url), 400, 'webhookUrl must be a URL');
  for (const url of ['https://loja.example/pix', 'HTTPS://loja.example/pix'])
    t.equal((await create(url)).status, 200);
});

t.test('an address of WEBHOOK_DENY is refused, though public or allowed', async (t) => {
  const env = { WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8', WEBHOOK_DENY: '127.0.0.2/32, 2600:1f18::/32' };
  const system = await startSystem({ dispatcher: false, env });
  t.teardown(system.stop);
  const { token } = await system.createStore();
  const create = (webhookUrl: string) =>
    system.api('/api-public/payments', { token, body: { amount: 10, webhookUrl } });
  for (const host of ['127.0.0.2', '0x7f000002', '[2600:1f18::1]'])
    isError(t, await create(`http://${host}/`), 400, 'webhookUrl must be a URL');
  for (const host of ['127.0.0.1', '[2600:1f19::1]']) t.equal((await create(`http://${host}/`)).status, 200);
});
