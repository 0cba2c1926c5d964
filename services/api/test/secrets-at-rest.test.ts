import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../src/api.ts';
import { apiSettings } from '../src/settings.ts';

/** Secrets that must be read again are sealed in the database (Contract: secrets at rest). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, createStore, db, env } = system;
const store = await createStore();
const path = `/admin/stores/${store.id}/webhook-secret`;
const key = env.SECRETS_KEY as string;

const secretsWith = async (settings: Record<string, string>) => {
  const api = await startApi(
    readEnvironment(apiSettings, { ...env, PORT: '0', ADMIN_PORT: '0', ...settings }),
    createLogger('api', 'silent'),
  );
  try {
    const url = `http://127.0.0.1:${api.adminPort}${path}`;
    const headers = { authorization: `Bearer ${env.ADMIN_KEY}` };
    return (await (await fetch(url, { headers })).json()) as { secret: string; previousSecret: string };
  } finally {
    await api.close();
  }
};

t.test('the database holds no secret that works', async (t) => {
  const before = (await admin(path)).body.secret;
  const after = (await admin(`${path}/rotate`, { body: {} })).body;
  t.equal(after.previousSecret, before);
  const rows = JSON.stringify(await db.selectFrom('stores').selectAll().execute());
  for (const secret of [before, after.secret]) t.notOk(rows.includes(secret.slice(6)));
  t.match(rows, 'sealed:');
});

t.test('the key is changed beside the key before', async (t) => {
  const { secret } = (await admin(path)).body;
  const changed = { SECRETS_KEY: 'another-key-of-thirty-two-letters', SECRETS_KEY_PREVIOUS: key };
  t.match(await secretsWith(changed), { secret });
});

t.test('without the right key the service does not start', async (t) => {
  const wrong = { SECRETS_KEY: 'another-key-of-thirty-two-letters' };
  await t.rejects(secretsWith(wrong), { message: 'SECRETS_KEY does not open the stored secrets' });
});
