import { setTimeout as pause } from 'node:timers/promises';
import { startTestPair, type TestPair } from '@payments/testing/postgres-pair';
import { eventually } from '@payments/testing/system';
import type { Test } from 'tap';
import { type Load, startLoad } from './load.ts';
import { openShop, openSystem, type Shop, story } from './shop.ts';

const unavailable = { statusCode: 503, message: 'Serviço temporariamente indisponível.' };

export async function startPair(t: Test): Promise<TestPair> {
  const pair = await startTestPair();
  t.teardown(pair.remove);
  return pair;
}

export const portOf = (url: string) => Number(new URL(url).port);
export const withHosts = (url: string, hosts: string) => url.replace(new URL(url).host, hosts);
export const bothHosts = ({ primary, standby }: TestPair) =>
  withHosts(primary.url, `${new URL(standby.url).host},${new URL(primary.url).host}`);

export async function sell(t: Test, DATABASE_URL: string) {
  const system = await openSystem(t, { env: { DATABASE_URL } });
  const shop = await openShop(t, system);
  const load = startLoad(shop, { atOnce: 4, pay: true });
  await eventually('sales', async () => load.created.length > 20 || undefined);
  return { shop, load };
}

export const untilRefused = (load: Load) =>
  eventually('creation to be refused', async () => load.refused.length > 0 || undefined);

export async function sellsAgain(t: Test, load: Load, shop: Shop) {
  const since = performance.now();
  const before = load.created.length;
  await eventually('creation to go on', async () => load.created.length > before + 5 || undefined);
  const took = Math.round(performance.now() - since);
  t.comment(`sales ${took} ms after the promotion was ordered; ${load.refused.length} were refused`);
  await pause(500);
  await load.stop();
  for (const { status, body } of load.refused) t.same({ status, body }, { status: 503, body: unavailable });
  for (const payment of load.created) {
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
    t.equal((await shop.read(payment)).status, 'approved', 'a creation with a 200 is not lost');
  }
}
