import { type NatsCluster, startNatsCluster } from '@payments/testing/nats-cluster';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startLoad } from './load.ts';
import { openShop, openSystem, story } from './shop.ts';

const stream = 'PAYMENTS_CLUSTER';

t.test('three NATS servers: a stream of one copy gets three, and goes on without its leader', async (t) => {
  const cluster = await startNatsCluster();
  t.teardown(cluster.remove);
  await eventually('a stream of one copy', () => makeStream(cluster).catch(() => undefined));
  const system = await openSystem(t, {
    env: { NATS_URL: cluster.url, NATS_STREAM: stream, NATS_REPLICAS: '3' },
  });
  const shop = await openShop(t, system);
  const leader = await eventually('three copies', async () => {
    const { config, cluster: copies } = await infoOf(cluster);
    const areCurrent = copies?.replicas?.filter(({ current }) => current).length === 2;
    return config.num_replicas === 3 && areCurrent ? copies?.leader : undefined;
  });

  const load = startLoad(shop, { atOnce: 3, pay: true });
  await eventually('sales', async () => load.created.length > 20 || undefined);
  const killedAt = performance.now();
  await cluster.servers.get(leader)?.kill();
  const before = await lastOf(cluster);
  await eventually('events', async () => (await lastOf(cluster)) > before + 10 || undefined);
  t.comment(`events again ${Math.round(performance.now() - killedAt)} ms after the leader was killed`);
  const sold = load.created.length;
  await eventually('sales', async () => load.created.length > sold + 20 || undefined);
  await load.stop();

  t.same(load.refused, []);
  const told: string[] = [];
  for (const payment of load.created) {
    const webhooks = await shop.untilWebhooks(payment, 2);
    t.same(story(webhooks), ['created pending', 'pending approved']);
    told.push(...webhooks.map(({ id }) => id));
  }
  const published = await eventually('every event to be published', async () => {
    const ids = await publishedIn(cluster);
    return told.every((id) => ids.includes(id)) ? ids : undefined;
  });
  t.equal(new Set(published).size, published.length, 'each event is published once');
});

const infoOf = (cluster: NatsCluster) => cluster.ask(({ streams }) => streams.info(stream));
const lastOf = (cluster: NatsCluster) =>
  infoOf(cluster).then(
    ({ state }) => state.last_seq,
    () => 0,
  );
const makeStream = (cluster: NatsCluster) =>
  cluster.ask(({ streams }) => streams.add({ name: stream, subjects: ['payments_cluster.>'] }));

/** @returns the `Nats-Msg-Id` of each message */
function publishedIn(cluster: NatsCluster): Promise<string[]> {
  return cluster.ask(async ({ streams }) => {
    const { state } = await streams.info(stream);
    const ids: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1)
      ids.push((await streams.getMessage(stream, { seq })).header.get('Nats-Msg-Id'));
    return ids;
  });
}
