import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../src/api.ts';
import { apiSettings } from '../src/settings.ts';

/** A short ADMIN_KEY stops the start in production, where others reach the service; two may be valid. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const start = (more: Record<string, string>) =>
  startApi(
    readEnvironment(apiSettings, { ...system.env, PORT: '0', ADMIN_PORT: '0', ...more }),
    createLogger('api', 'silent'),
  );
const before = process.env.NODE_ENV;
t.beforeEach(() => {
  process.env.NODE_ENV = 'production';
});
t.afterEach(() => {
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
});

const long = 'a-key-of-twenty-characters';
const cases: [settings: Record<string, string>, refused: string | null][] = [
  [{ PUBLIC_URL: 'https://pay.example.com', ADMIN_KEY: 'dev-admin-key' }, 'ADMIN_KEY'],
  [
    { PUBLIC_URL: 'https://pay.example.com', ADMIN_KEY: long, ADMIN_KEY_PREVIOUS: 'dev-admin-key' },
    'ADMIN_KEY_PREVIOUS',
  ],
  [{ PUBLIC_URL: 'https://pay.example.com', ADMIN_KEY: long }, null],
  [{ PUBLIC_URL: 'http://localhost:3000', ADMIN_KEY: 'dev-admin-key' }, null],
  [{ PUBLIC_URL: 'http://api.localhost:3000', ADMIN_KEY: 'dev-admin-key' }, null],
  [{ PUBLIC_URL: 'http://payments-api:3000', ADMIN_KEY: 'dev-admin-key' }, null],
];
for (const [settings, refused] of cases) {
  t.test(`${settings.PUBLIC_URL} ${settings.ADMIN_KEY}`, async (t) => {
    if (refused === null) return (await start(settings)).close();
    const message = `${refused} must have at least 20 characters in production`;
    return t.rejects(start(settings), { message });
  });
}

t.test('while it is changed, both keys open the administration', async (t) => {
  const api = await start({ ADMIN_KEY: long, ADMIN_KEY_PREVIOUS: 'the-key-before-it-was-changed' });
  t.teardown(api.close);
  for (const [key, status] of [
    [long, 200],
    ['the-key-before-it-was-changed', 200],
    ['test-admin-key', 401],
  ] as const) {
    const headers = { authorization: `Bearer ${key}` };
    t.equal((await fetch(`http://127.0.0.1:${api.adminPort}/admin/stores`, { headers })).status, status);
  }
});
