import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { startReceivers } from '../load/receivers.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

type Crowd = { receivers: number; perReceiver: number; storeEach: boolean };

/** The webhook rate of a healthy receiver beside as many hanging ones, compared with the rate without them. */
export const hanging: Scenario = {
  name: 'hanging',
  title: 'healthy receivers of one store beside as many that hang',
  run: (bench) =>
    compare(bench, 'webhooks a second to one healthy receiver', {
      receivers: 20,
      perReceiver: 250,
      storeEach: false,
    }),
};

/** The same with a store for each receiver. */
export const hangingStores: Scenario = {
  name: 'hanging-stores',
  title: 'a hundred stores beside a hundred whose receivers hang',
  run: (bench) =>
    compare(bench, 'webhooks a second to one of a hundred healthy stores', {
      receivers: 200,
      perReceiver: 40,
      storeEach: true,
    }),
};

async function compare(bench: Bench, what: string, crowd: Crowd) {
  const figures = await inTurns(bench, { what, unit: '/s', warmUps: 0 }, [
    { side: 'all healthy', run: () => drain(bench, crowd, 0) },
    { side: 'half hangs', run: () => drain(bench, crowd, crowd.receivers / 2) },
  ]);
  const [all, half] = figures as [Figure, Figure];
  return { floors: [ratioFloor(half.what, [half, all], { atLeast: 0.9 })], figures };
}

/** Starts a new system each time: one that knows the hanging receivers would have an advantage. */
async function drain({ ground, options }: Bench, crowd: Crowd, hangingOnes: number): Promise<number> {
  const { receivers, perReceiver, storeEach } = crowd;
  await using ours = await startOurs(ground);
  await using generator = startGenerator();
  await using stores = startReceivers();
  const { healthy, hanging } = await stores.listen(receivers - hangingOnes, hangingOnes);
  const { connections } = options;
  // With a store for each, the webhooks that hang are due first.
  for (const { store, urls } of await sellersOf(ours, [...hanging, ...healthy], storeEach)) {
    const until = { requests: urls.length * perReceiver };
    await generator.run({ ...creations(store, urls), connections, until });
  }
  await stores.reset();
  await ours.dispatcher.start();
  const { firstMs, lastMs } = await stores.waitFor(perReceiver * healthy.length);
  return (perReceiver / (lastMs - firstMs)) * 1_000;
}

/** @returns a store for all URLs, or one for each */
async function sellersOf(ours: Ours, urls: readonly string[], storeEach: boolean) {
  if (!storeEach) return [{ store: { url: ours.url, token: ours.token }, urls }];
  const sellers: { store: { url: string; token: string }; urls: string[] }[] = [];
  for (const url of urls) {
    const { token } = await ours.createStore();
    sellers.push({ store: { url: ours.url, token }, urls: [url] });
  }
  return sellers;
}
