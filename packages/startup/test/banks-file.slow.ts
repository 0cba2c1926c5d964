import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBank } from '@payments/testing/bank';
import { call } from '@payments/testing/http';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';

/** Both services as processes, with a BANKS_FILE that changes while they run. */
const file = join(t.testdir(), 'banks.json');
const credentials = (id: string) => ({
  clientId: `client-${id}`,
  clientSecret: `s3cr3t-${id}`,
  key: `${id}@example.com`,
});
const startOne = async (id: string) => ({ id, ...(await startBank(credentials(id))) });
const [old, added] = [await startOne('default'), await startOne('added')];
const entry = ({ id, url }: typeof old) => ({ id, url, ...credentials(id) });
const write = (...entries: object[]) => writeFileSync(file, JSON.stringify({ banks: entries }));

write(entry(old));
const system = await startProcessSystem({ env: { BANKS_FILE: file, LOG_LEVEL: 'info' } });
t.teardown(async () => {
  await system.stop();
  await Promise.all([old.close(), added.close()]);
});
const processes = [system.api, ...system.dispatchers];
const store = await system.createStore();
const items = async () => (await system.admin('/admin/banks')).body.items;
const create = async () =>
  (await system.call('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
const detail = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body;
const callbackAt = async ({ url, id }: typeof old) => {
  const { body } = await call(`${url}/oauth/token`, {
    headers: {
      authorization: `Basic ${Buffer.from(`client-${id}:s3cr3t-${id}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const answer = await call(`${url}/webhook/${encodeURIComponent(credentials(id).key)}`, {
    token: body.access_token,
  });
  return answer.body.webhookUrl as string | undefined;
};

t.test('a second bank comes without a restart, with a callback address of its own', async (t) => {
  t.match(await items(), [{ id: 'default', state: 'healthy' }]);
  write(entry(added), entry(old));
  await Promise.all(processes.map((one) => one.waitForLine(/the banks have changed/)));
  t.match(await items(), [{ id: 'added', state: 'healthy' }, { id: 'default' }]);
  const url = await eventually('the callback at the new bank', () => callbackAt(added));
  t.not(url, await callbackAt(old));
  const { id, qrCopyPaste } = await create();
  t.equal((await detail(id)).bank, 'added', 'the file is in order of preference');
  await call(`${added.url}/bank/pay`, { body: { pixCopiaECola: qrCopyPaste } });
  await eventually('its approval', async () => (await detail(id)).status === 'approved' || undefined);
});

t.test('a bad file changes nothing, and shows no secret', async (t) => {
  write(entry(added), { ...entry(old), clientSecret: undefined, clientSecretFile: 'none' });
  await Promise.all(processes.map((one) => one.waitForLine(/clientSecretFile can't be read: ENOENT/)));
  t.match(await items(), [{ id: 'added' }, { id: 'default' }]);
  t.match(await create(), { qrCopyPaste: /^000201/ });
  for (const { lines } of processes) t.notMatch(lines.join('\n'), /s3cr3t/);
});

t.test('what a removed bank has waits visibly, and goes on when it is back', async (t) => {
  write(entry(old));
  await Promise.all(
    processes.map((one) => one.waitForLine(/"banks":\["added"\].*configured no more; what they have waits/)),
  );
  t.match(await items(), [
    { id: 'default', state: 'healthy' },
    { id: 'added', state: 'failing', lastError: /not configured/ },
  ]);
  write(entry(added), entry(old));
  await eventually('both banks', async () => {
    const states = (await items()).map(({ state }: { state: string }) => state);
    return states.join() === 'healthy,healthy' || undefined;
  });
});
