import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call } from '@payments/testing/http';
import { startProcess, type TestProcess } from '@payments/testing/processes';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { freePort } from './dispatcher-processes.ts';
import { openShop, openSystem } from './shop.ts';

const main = fileURLToPath(new URL('../../../packages/pix-simulator/src/main.ts', import.meta.url));
const creations = 200;

t.test('with the PSP down payments are created; when it is back every charge gets its code', async (t) => {
  const port = await freePort();
  const env = {
    PORT: String(port),
    DATA_FILE: join(t.testdir(), 'bank.jsonl'),
    PIX_CLIENT_ID: 'client',
    PIX_CLIENT_SECRET: 'secret',
    PIX_KEY: 'pix@example.com',
  };
  const startBank = async (): Promise<TestProcess> => {
    const bank = startProcess(main, env);
    t.teardown(() => bank.kill('SIGKILL'));
    await bank.waitForLine(/Server listening/);
    return bank;
  };
  const bankUrl = `http://127.0.0.1:${port}`;
  const bank = await startBank();
  const system = await openSystem(t, { env: { PIX_URL: bankUrl } });
  const shop = await openShop(t, system);
  const before = await shop.charge(10);
  t.match(before.qrCopyPaste, /^000201/);
  await bank.kill('SIGKILL');

  const durations: number[] = [];
  for (let made = 0; made < creations; made += 1) {
    const started = performance.now();
    const created = await shop.charge(10);
    durations.push(performance.now() - started);
    t.match(created, { status: 'pending', qrCodeUrl: null, qrCopyPaste: null });
  }
  const sorted = durations.toSorted((a, b) => a - b);
  const [median, worst] = [sorted[creations / 2]!, sorted.at(-1)!];
  t.comment(`creation without the PSP: median ${median.toFixed(1)} ms, slowest ${worst.toFixed(0)} ms`);

  const waiting = async () => {
    const { count } = await system.db
      .selectFrom('payments')
      .where('copyAndPaste', 'is', null)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  };
  t.equal(await waiting(), creations);
  await startBank();
  const back = performance.now();
  await eventually('every charge to be registered', async () => (await waiting()) === 0 || undefined);
  t.comment(`all had a code ${((performance.now() - back) / 1_000).toFixed(1)} s after the PSP was back`);

  const { body } = await system.api('/api-public/payments?limit=200', { token: shop.store.token });
  t.equal(new Set(body.items.map((one) => one.qrCopyPaste)).size, creations);
  const [newest] = body.items;
  await call(`${bankUrl}/bank/pay`, { body: { pixCopiaECola: newest!.qrCopyPaste } });
  await shop.untilStatus(newest!, 'approved');
  const { body: judged } = await call(`${bankUrl}/bank/violations`);
  // The test's own readiness check is not a call of the API Pix.
  const asked = judged.violations.filter(({ url }: { url: string }) => url !== '/health/ready');
  t.same(asked, [], 'every call of the bank was API Pix');
});
