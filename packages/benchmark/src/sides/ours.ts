import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@payments/local-servers/free-port';
import { createReplica, type Replica } from '@payments/testing/replica';
import { serviceSettings } from '@payments/testing/service-settings';
import { systemClient, type TestStore } from '@payments/testing/system-client';
import type { Ground } from '../ground.ts';
import { root } from '../installation.ts';
import { type Side, sideFlags } from './side.ts';

export type Ours = Side & {
  adminUrl: string;
  databaseUrl: string;
  api: Replica;
  dispatcher: Replica;
  createStore(): Promise<TestStore>;
};

const owner = { name: 'Olga', email: 'olga@example.com', role: 'owner' };

/**
 * The service as shipped: production build, log at `info` to a file, metrics on, settings of `npm start`, a store, and an
 * owner, who is told by mail of everything that waits.
 * The API runs; a scenario that needs the dispatcher starts it.
 * @param env settings of the scenario
 */
export async function startOurs(ground: Ground, env: Record<string, string> = {}): Promise<Ours> {
  const database = await ground.createDatabase();
  const name = `BENCH_${randomBytes(4).toString('hex').toUpperCase()}`;
  const [port, adminPort] = [await freePort(), await freePort()];
  const [url, adminUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`];
  const { natsUrl, bankUrl, smtpUrl } = ground;
  const settings = {
    ...serviceSettings({ databaseUrl: database.url, natsUrl, bankUrl, publicUrl: url }),
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'pix@localhost',
  };
  const replica = (service: 'api' | 'dispatcher', own: { port?: number; env?: Record<string, string> }) =>
    createReplica({
      name: service,
      module: join(root, `services/${service}/dist/main.js`),
      nodeArgs: sideFlags,
      logFile: ground.logOf(`${name}-${service}`),
      ...own,
      env: { ...settings, NATS_STREAM: name, LOG_LEVEL: 'info', ...env, ...own.env },
    });
  const api = await replica('api', { port, env: { ADMIN_PORT: String(adminPort) } });
  const dispatcher = await replica('dispatcher', {});
  await api.start();
  const { admin, createStore } = systemClient({ url, adminUrl, bankUrl });
  await admin('/admin/accounts', { body: owner });
  const { token } = await createStore();
  return {
    name: 'ours',
    url,
    adminUrl,
    token,
    databaseUrl: database.url,
    api,
    dispatcher,
    createStore,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([api.terminate(), dispatcher.isRunning() && dispatcher.terminate()]);
      await database.drop();
    },
  };
}
