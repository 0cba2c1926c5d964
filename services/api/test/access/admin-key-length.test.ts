import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { asServicesRole } from '@payments/testing/database';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../../src/api.ts';
import { apiSettings } from '../../src/settings.ts';

/** A short ADMIN_KEY stops the start outside development; two may be valid. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const DATABASE_URL = await asServicesRole(system.env.DATABASE_URL ?? '');
const start = (more: Record<string, string>) =>
  startApi(
    readEnvironment(apiSettings, { ...system.env, DATABASE_URL, PORT: '0', ADMIN_PORT: '0', ...more }),
    createLogger('api', 'silent'),
  );
const before = process.env.NODE_ENV;
const runAs = (environment: string | undefined) => {
  if (environment === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = environment;
};
t.afterEach(() => runAs(before));

const [long, short] = ['a-key-of-twenty-characters', 'dev-admin-key'];
const [published, local] = ['https://pay.example.com', 'http://localhost:3000'];
type Case = [environment: string | undefined, settings: Record<string, string>, refused: string | null];
const cases: Case[] = [
  ['production', { PUBLIC_URL: published, ADMIN_KEY: short }, 'ADMIN_KEY'],
  ['production', { PUBLIC_URL: 'http://pay.example.com', ADMIN_KEY: short }, 'ADMIN_KEY'],
  ['production', { PUBLIC_URL: local, ADMIN_KEY: short }, 'ADMIN_KEY'],
  ['production', { PUBLIC_URL: published, ADMIN_KEY: long, ADMIN_KEY_PREVIOUS: short }, 'ADMIN_KEY_PREVIOUS'],
  ['production', { PUBLIC_URL: published, ADMIN_KEY: long }, null],
  [undefined, { PUBLIC_URL: published, ADMIN_KEY: short }, 'ADMIN_KEY'],
  [undefined, { PUBLIC_URL: local, ADMIN_KEY: short }, null],
  ['development', { PUBLIC_URL: published, ADMIN_KEY: short }, null],
];
for (const [environment, settings, refused] of cases) {
  t.test(`NODE_ENV ${environment}: ${Object.values(settings).join(' ')}`, async (t) => {
    runAs(environment);
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
