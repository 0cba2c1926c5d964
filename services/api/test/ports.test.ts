import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../src/api.ts';
import { apiSettings } from '../src/settings.ts';

/** The panel and the metrics may have ports of their own (Contract: ports). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const own = { PORT: '0', ADMIN_PORT: '0' };
const start = (more: Record<string, string>) =>
  startApi(readEnvironment(apiSettings, { ...system.env, ...own, ...more }), createLogger('api', 'silent'));
const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })).status;

t.test('without their own ports both are at the admin port', async (t) => {
  const api = await start({});
  t.teardown(api.close);
  t.strictSame([api.panelPort, api.metricsPort], [api.adminPort, api.adminPort]);
  t.equal(await statusOf(api.adminPort, '/panel/sign-in'), 200);
  t.equal(await statusOf(api.adminPort, '/metrics'), 200);
});

t.test('with them, each port has its own and nothing else', async (t) => {
  const api = await start({ PANEL_PORT: '0', METRICS_PORT: '0' });
  t.teardown(api.close);
  const paths = [
    ...['/panel/sign-in', '/metrics', '/admin/stores', '/docs', '/api-public/payments'],
    ...['/health/live', '/health/ready'],
  ];
  const seen = async (port: number) => Promise.all(paths.map((path) => statusOf(port, path)));
  t.strictSame(await seen(api.panelPort), [200, 404, 404, 404, 404, 200, 200], 'a balancer asks the panel’s');
  t.strictSame(await seen(api.metricsPort), [404, 200, 404, 404, 404, 404, 404]);
  const unknown = await fetch(`http://127.0.0.1:${api.metricsPort}/`);
  t.strictSame(await unknown.json(), { statusCode: 404, message: 'Rota não encontrada.' });
  t.strictSame(await seen(api.adminPort), [404, 404, 401, 200, 404, 200, 200]);
  t.strictSame(await seen(api.port), [404, 404, 404, 200, 401, 200, 200]);
});
