import { setTimeout as pause } from 'node:timers/promises';
import { startTestPair, type TestPair } from '@payments/testing/postgres-pair';
import { eventually } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t, { type Test } from 'tap';
import { type Load, startLoad } from './load.ts';
import { openShop, openSystem, type Shop, story } from './shop.ts';

const unavailable = { statusCode: 503, message: 'Serviço temporariamente indisponível.' };

t.test('the primary is killed, and the address moves to the promoted standby', async (t) => {
  const pair = await startPair(t);
  const service = await startTcpProxy(portOf(pair.primary.url));
  t.teardown(service.close);
  const { shop, load } = await sell(t, withHosts(pair.primary.url, `127.0.0.1:${service.port}`));
  await pair.primary.kill();
  service.lead(portOf(pair.standby.url));
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop, 5_000);
});

t.test('the primary is killed, and DATABASE_URL names both', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  await pair.primary.kill();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop, 5_000);
});

t.test('the primary freezes with its connections open, and DATABASE_URL names both', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  pair.freezePrimary();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop, 10_000);
});

t.test('the primary freezes, and the address moves to the promoted standby', async (t) => {
  const pair = await startPair(t);
  const service = await startTcpProxy(portOf(pair.primary.url));
  t.teardown(service.close);
  const { shop, load } = await sell(t, withHosts(pair.primary.url, `127.0.0.1:${service.port}`));
  pair.freezePrimary();
  await pair.promote();
  service.lead(portOf(pair.standby.url));
  await sellsAgain(t, load, shop, 10_000);
});

t.test('the primary is made read-only under open connections', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  await pair.demotePrimary();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop, 5_000);
});

async function startPair(t: Test): Promise<TestPair> {
  const pair = await startTestPair();
  t.teardown(pair.remove);
  return pair;
}

const portOf = (url: string) => Number(new URL(url).port);
const withHosts = (url: string, hosts: string) => url.replace(new URL(url).host, hosts);
const bothHosts = ({ primary, standby }: TestPair) =>
  withHosts(primary.url, `${new URL(standby.url).host},${new URL(primary.url).host}`);

async function sell(t: Test, DATABASE_URL: string) {
  const system = await openSystem(t, { env: { DATABASE_URL } });
  const shop = await openShop(t, system);
  const load = startLoad(shop, { atOnce: 4, pay: true });
  await eventually(20_000, 'sales', async () => load.created.length > 20 || undefined);
  return { shop, load };
}

const untilRefused = (load: Load) =>
  eventually(15_000, 'creation to be refused', async () => load.refused.length > 0 || undefined);

async function sellsAgain(t: Test, load: Load, shop: Shop, withinMs: number) {
  const since = performance.now();
  const before = load.created.length;
  await eventually(30_000, 'creation to go on', async () => load.created.length > before + 5 || undefined);
  const took = Math.round(performance.now() - since);
  t.ok(took < withinMs, `sales ${took} ms after the promotion was ordered`);
  t.comment(`sales ${took} ms after the promotion was ordered; ${load.refused.length} were refused`);
  await pause(500);
  await load.stop();
  for (const { status, body } of load.refused) t.same({ status, body }, { status: 503, body: unavailable });
  for (const payment of load.created) {
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
    t.equal((await shop.read(payment)).status, 'approved', 'a creation with a 200 is not lost');
  }
}
