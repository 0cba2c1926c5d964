import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@payments/local-servers/free-port';
import { createTestDatabase } from '@payments/testing/database';
import { call } from '@payments/testing/http';
import { testNats } from '@payments/testing/nats';
import { startReceiver } from '@payments/testing/receiver';
import { startSimulator } from '@payments/testing/simulator';
import { eventually } from '@payments/testing/system';
import { startTraceReceiver } from '@payments/testing/trace-receiver';
import t, { type Test } from 'tap';
import { readmeLines } from './fixtures/readme.ts';

/** The README's lines for operators, run unchanged: without our condition or a loader, as in an image. */
const root = join(import.meta.dirname, '../..');
const lines = readmeLines('For operators')
  .trim()
  .split('\n')
  .map((line) => line.replace(/ +#.*/, ''));
const [build = '', migrate = '', api = '', dispatcher = ''] = lines;
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
const asUser = (line: string): [string, string[]] => ['bash', ['-c', `exec ${line}`]];
const home = { PATH, HOME: process.env.HOME ?? '' };
const adminKey = 'test-admin-key';

/** The servers that the services need. */
async function surroundings(t: Test) {
  const [database, nats, bank, traces, shop] = await Promise.all([
    createTestDatabase(),
    testNats(),
    startSimulator(),
    startTraceReceiver(),
    startReceiver(),
  ]);
  t.teardown(async () => {
    await Promise.all([database.drop(), nats.stop(), bank.close(), traces.close(), shop.close()]);
  });
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...home,
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    NATS_URL: nats.url,
    NATS_STREAM: nats.stream,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_KEY: adminKey,
    PIX_URL: bank.url,
    PIX_CLIENT_ID: 'id',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'key',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
  };
  return { env, port, adminPort, bank, traces, shop };
}

/**
 * Starts a service by its line and waits until it is ready.
 * @returns a function that ends it as an orchestrator does
 */
async function start(t: Test, line: string, env: Record<string, string>): Promise<() => Promise<void>> {
  const running = spawn(...asUser(line), { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env });
  const ended = once(running, 'close');
  t.teardown(() => running.kill('SIGKILL'));
  await eventually(`${line} to be ready`, async () => {
    const answer = await call(`http://127.0.0.1:${env.PORT}/health/ready`).catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  return async () => {
    running.kill('SIGTERM');
    t.same(await ended, [0, null], `${line} ends when told`);
  };
}

t.test('built, migrated, started, used and stopped by the README’s lines', async (t) => {
  t.equal(lines.length, 4);
  const built = spawnSync(...asUser(build), { cwd: root, encoding: 'utf8', env: home });
  t.equal(built.status, 0, built.stdout + built.stderr);

  const { env, port, adminPort, bank, traces, shop } = await surroundings(t);
  const migrated = spawnSync(...asUser(migrate), { cwd: root, encoding: 'utf8', env });
  t.match(migrated, { status: 0, stdout: /the schema is up to date/ });
  const stopApi = await start(t, api, { ...env, PORT: String(port), ADMIN_PORT: String(adminPort) });
  const stopDispatcher = await start(t, dispatcher, { ...env, PORT: String(await freePort()) });
  const [url, admin] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`];
  const pages = ['/docs', '/docs/guide', '/docs/assets/docs.css'].map((page) => url + page);
  const panel = ['/panel/sign-in', '/panel/assets/panel.css'].map((page) => admin + page);
  for (const page of [...pages, ...panel]) t.equal((await call(page)).status, 200, page);

  const { body: store } = await call(`${admin}/admin/stores`, { token: adminKey, body: { name: 'Loja' } });
  const tokens = `${admin}/admin/stores/${store.id}/tokens`;
  const { token } = (await call(tokens, { token: adminKey, body: {} })).body;
  const order = { amount: 10, webhookUrl: shop.url };
  const { body: payment } = await call(`${url}/api-public/payments`, { token, body: order });
  t.match((await call(payment.qrCodeUrl)).headers.get('content-type'), 'image/png');
  await call(`${bank.url}/bank/pay`, { body: { pixCopiaECola: payment.qrCopyPaste } });
  const [, second] = await shop.waitForCount(2);
  t.match(JSON.parse(second?.body ?? ''), { id: payment.id, status: 'approved' });
  t.match(second?.headers['user-agent'], /^public-payments\/\d+\.\d+\.\d+$/);
  await traces.until('a webhook’s span', (spans) => spans.some(({ name }) => name === 'deliver webhook'));

  const check = spawn(process.execPath, ['dist/bank-check.js'], { cwd: join(root, 'services/api'), env });
  const [checked, [status]] = await Promise.all([text(check.stdout), once(check, 'close')]);
  t.equal(status, 0, checked);
  t.match(checked, /✓ charge removed: REMOVIDA.*\n.*\n\nAPI Pix works\.\n$/);
  t.match(checked, /✓ callback address: http:\/\/127\.0\.0\.1:\d+ answers 200/);

  await stopApi();
  await stopDispatcher();
  for (const service of ['api', 'dispatcher'])
    t.ok(
      readdirSync(join(root, `services/${service}/dist/.compiled`)).length,
      `${service} keeps what it compiled`,
    );
});
