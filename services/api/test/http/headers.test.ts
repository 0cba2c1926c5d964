import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** Security headers, request ids, health, and the routes of each port. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();

const answers: [name: string, path: string, token?: string][] = [
  ['a list', '/api-public/payments', store.token],
  ['a 401', '/api-public/payments'],
  ['a 404', '/nothing'],
  ['health', '/health/live'],
  ['the docs', '/docs'],
];
for (const [name, path, token] of answers) {
  t.test(`security headers of ${name}`, async (t) => {
    const { headers } = await system.api(path, token === undefined ? {} : { token });
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(headers.get('strict-transport-security'), /max-age=\d{7,}/);
    t.match(headers.get('content-security-policy'), /frame-ancestors|script-src/);
    t.ok(headers.get('x-frame-options'));
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.equal(headers.get('x-powered-by'), null);
    t.equal(headers.get('server'), null);
  });
}

t.test('the docs run their own scripts, and no others', async (t) => {
  const policy = (await system.api('/docs')).headers.get('content-security-policy') ?? '';
  t.match(policy, /script-src 'self'/);
  t.notMatch(/script-src[^;]*/.exec(policy)?.[0], /unsafe-inline|unsafe-eval|\*/);
});

t.test('x-request-id: a good one is kept, everywhere', async (t) => {
  const headers = { 'x-request-id': 'pedido-7:tentativa.1' };
  for (const [, path] of answers)
    t.equal((await system.api(path, { headers })).headers.get('x-request-id'), 'pedido-7:tentativa.1');
  const created = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 10 },
    headers,
  });
  const detail = await system.admin(`/admin/payments/${created.body.id}`);
  t.equal(detail.body.events[0]?.requestId, 'pedido-7:tentativa.1', 'and follows the payment');
});

for (const given of [undefined, '', 'x'.repeat(129), 'a b', 'a"b', 'a{b}', 'é', '<script>']) {
  t.test(`x-request-id: ${String(given).slice(0, 20)} is replaced`, async (t) => {
    const headers = given === undefined ? {} : { 'x-request-id': given };
    const answer = await system.api('/health/live', { headers });
    t.match(answer.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  });
}

t.test('no cache keeps what the administration shows', async (t) => {
  for (const path of ['keys', 'payments.csv', `stores/${store.id}/webhook-secret`]) {
    const { status, headers } = await system.admin(`/admin/${path}`);
    t.strictSame([status, headers.get('cache-control')], [200, 'no-store'], path);
  }
});

t.test('health', async (t) => {
  for (const ask of [system.api, system.admin]) {
    t.strictSame((await ask('/health/live')).body, { status: 'ok' });
    t.strictSame((await ask('/health/ready')).body, { status: 'ok', nats: 'connected' });
  }
  const open = await fetch(`${system.adminUrl}/health/ready`);
  t.equal(open.status, 200, 'open on the admin port');
  await open.body?.cancel();
});

t.test('metrics: on the admin port, open; not on the public one', async (t) => {
  const answer = await fetch(`${system.adminUrl}/metrics`);
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^text\/plain/);
  t.match(await answer.text(), /process_cpu_seconds_total/);
  t.equal((await system.api('/metrics')).status, 404);
});
