import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { createTestDatabase } from '@payments/testing/database';
import { testNats } from '@payments/testing/nats';
import { plainNode } from '@payments/testing/plain-node';
import { startProcess } from '@payments/testing/processes';
import { startSimulator } from '@payments/testing/simulator';
import t from 'tap';

const root = join(import.meta.dirname, '../..');

t.test('the services run from dist/ as JavaScript', async (t) => {
  const build = ['--conditions=public-payments', join(root, 'scripts/src/build.ts')];
  const { status, stdout } = spawnSync(...plainNode(build), { encoding: 'utf8' });
  t.equal(status, 0, stdout);

  const [database, nats, bank] = await Promise.all([createTestDatabase(), testNats(), startSimulator()]);
  t.teardown(async () => {
    await Promise.all([database.drop(), nats.stop(), bank.close()]);
  });
  for (const service of ['api', 'dispatcher']) {
    const [port, adminPort] = [await freePort(), await freePort()];
    // No condition and no loader: as in an image.
    const running = startProcess(join(root, 'services', service, 'dist/main.js'), {
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      NATS_STREAM: nats.stream,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ADMIN_KEY: 'test-admin-key',
      PIX_URL: bank.url,
      PIX_CLIENT_ID: 'id',
      PIX_CLIENT_SECRET: 'secret',
      PIX_KEY: 'key',
    });
    await t.resolves(running.ready, `${service} is ready`);
    t.same(await running.kill(), { code: 0, signal: null }, `${service} ends when told`);
  }
});
