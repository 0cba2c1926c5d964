import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { call } from '@payments/testing/http';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { startTokenUses } from '../../src/public/store-authentication.ts';
import { isError } from './payments/expectations.ts';

/** A token's change on one replica applies to the next request on another one (Contract: newest token). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const log = createLogger('api', 'silent');
const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ADMIN_PORT: '0' });
const second = await startApi(settings, log);
let secondRuns = true;
const stopSecond = async () => {
  if (secondRuns) await second.close();
  secondRuns = false;
};
t.teardown(stopSecond);

const replicas = [
  { url: system.url, adminUrl: system.adminUrl },
  { url: `http://127.0.0.1:${second.port}`, adminUrl: `http://127.0.0.1:${second.adminPort}` },
];
const key = system.env.ADMIN_KEY!;
const on = (replica: number) => replicas[replica % 2]!;
const use = (token: string, replica: number) => call(`${on(replica).url}/api-public/payments`, { token });
const admin = (path: string, replica: number, request: { method?: string; body?: unknown } = {}) =>
  call(on(replica).adminUrl + path, { token: key, ...request });
const newStore = async () => (await system.admin('/admin/stores', { body: { name: 'Loja' } })).body.id;
const rotate = async (storeId: string, replica: number, body: unknown = {}) =>
  (await admin(`/admin/stores/${storeId}/tokens`, replica, { body })).body;
const superseded = 'Apenas o token mais recente é válido.';
const invalid = 'Token inválido ou expirado.';

t.test('20 rotations at once over both replicas leave exactly one token valid, on both', async (t) => {
  const storeId = await newStore();
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => rotate(storeId, n)));
  for (const replica of [0, 1]) {
    const answers = await Promise.all(made.map(({ token }) => use(token, replica)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200)) isError(t, answer, 401, superseded);
  }
  const { items } = (await system.admin(`/admin/stores/${storeId}/tokens`)).body;
  t.equal(items.length, 20);
  t.equal(items.filter(({ supersededAt }: { supersededAt: string | null }) => !supersededAt).length, 1);
});

t.test('rotation, deactivation and an inactive store hold for the next request on the other', async (t) => {
  const storeId = await newStore();
  let previous = await rotate(storeId, 0);
  for (let n = 1; n <= 10; n += 1) {
    // The other replica has just accepted the token: a cache would be warm.
    t.equal((await use(previous.token, n + 1)).status, 200);
    const next = await rotate(storeId, n);
    isError(t, await use(previous.token, n + 1), 401, superseded);
    t.equal((await use(next.token, n + 1)).status, 200);
    previous = next;
  }
  const active = (value: boolean, replica: number) =>
    admin(`/admin/stores/${storeId}`, replica, { method: 'PATCH', body: { active: value } });
  await active(false, 0);
  isError(t, await use(previous.token, 1), 403, 'Loja inativa.');
  await active(true, 1);
  t.equal((await use(previous.token, 0)).status, 200);
  await admin(`/admin/stores/${storeId}/tokens/${previous.id}`, 0, { method: 'DELETE' });
  isError(t, await use(previous.token, 1), 401, invalid);
});

t.test('last use: recorded for many requests in one statement, and shown', async (t) => {
  const storeId = await newStore();
  const { id, token } = await rotate(storeId, 0);
  const lastUsed = async () =>
    (await system.admin(`/admin/stores/${storeId}/tokens`)).body.items.find(
      (one: { id: string }) => one.id === id,
    ).lastUsedAt;
  const version = async () =>
    (await system.db.selectFrom('tokens').select('lastUsedAt').where('id', '=', id).execute())[0];
  t.equal(await lastUsed(), null);
  const before = Date.now();
  for (let n = 0; n < 20; n += 1) t.equal((await use(token, 1)).status, 200);
  // A stopping replica records the uses that it still has in memory.
  await stopSecond();
  const shown = Date.parse(await lastUsed());
  t.ok(shown >= before && shown <= Date.now(), 'the time of the last request');
  t.equal((await version())?.lastUsedAt?.getTime(), shown);
});

t.test('uses are recorded by themselves, and what is later wins whoever records it', async (t) => {
  const storeId = await newStore();
  const { id } = await rotate(storeId, 0);
  const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:05Z')];
  const shown = async () => (await system.admin(`/admin/stores/${storeId}/tokens`)).body.items[0].lastUsedAt;
  const [one, other] = [startTokenUses(system.db, log, 20), startTokenUses(system.db, log, 60_000)];
  one.note(id, late);
  await eventually('the use to be recorded', async () => (await shown()) ?? undefined);
  other.note(id, early);
  await Promise.all([one.stop(), other.stop()]);
  t.equal(await shown(), late.toISOString());
});
