import { prepareTemplate } from '@payments/testing/database';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import { eventually, startSystem } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { isError } from './public/payments/expectations.ts';

/** Without PostgreSQL the API responds with 503 and recovers without a restart (Contract: without neighbours). */
const postgres = await startOwnPostgres();
t.teardown(() => postgres.remove());
const url = new URL(postgres.url);
url.pathname = `/${await prepareTemplate(postgres.url)}`;
const link = await startTcpProxy(Number(url.port));
t.teardown(() => link.close());
url.port = String(link.port);
const system = await startSystem({ dispatcher: false, env: { DATABASE_URL: url.href } });
t.teardown(system.stop);
const store = await system.createStore();
const { token } = store;
const create = () => system.api('/api-public/payments', { token, body: { amount: 10 } });
const before = (await create()).body;

t.test(
  'a database that says nothing is a 503 while it is silent, and forgotten when it is back',
  async (t) => {
    link.slow(60_000);
    const reads = Array.from({ length: 5 }, () => system.api(`/api-public/payments/${before.id}`, { token }));
    const answers = await Promise.all([...reads, system.api('/api-public/payments', { token }), create()]);
    for (const answer of answers) isError(t, answer, 503, 'Serviço temporariamente indisponível.');
    link.slow(0);
    link.cut();
    const read = async () => {
      const { status, body } = await system.api(`/api-public/payments/${before.id}`, { token });
      return status === 200 ? body : undefined;
    };
    t.match(await eventually('the payment', read), { id: before.id, status: 'pending' });
  },
);

t.test('every route that needs the database answers 503, and says when to try again', async (t) => {
  await postgres.stop();
  const calls = [
    create(),
    system.api('/api-public/payments', { token }),
    system.api(`/api-public/payments/${before.id}`, { token }),
    system.api(`/qr/${before.id}.png`),
    system.api('/health/ready'),
    system.admin('/admin/stores'),
    system.admin(`/admin/payments/${before.id}`),
    system.admin('/admin/deliveries'),
    system.admin('/health/ready'),
  ];
  for (const answer of await Promise.all(calls)) {
    isError(t, answer, 503, 'Serviço temporariamente indisponível.');
    t.equal(answer.headers.get('retry-after'), '1');
  }
});

t.test('what needs no database goes on', async (t) => {
  t.equal((await system.api('/health/live')).status, 200);
  t.equal((await system.api('/docs/json')).status, 200);
  isError(t, await system.api('/api-public/payments'), 401, 'Bearer token ausente.');
  t.equal((await fetch(`${system.adminUrl}/metrics`)).status, 200);
});

t.test('it recovers by itself, with everything it had', async (t) => {
  await postgres.start();
  await eventually('readiness', async () =>
    (await system.api('/health/ready')).status === 200 ? true : undefined,
  );
  const { body } = await system.api('/api-public/payments', { token });
  t.match(body, { total: 1, items: [{ id: before.id }] });
  t.equal((await create()).status, 200);
});
