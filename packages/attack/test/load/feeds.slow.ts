import { inSession } from '@payments/testing/sessions';
import t from 'tap';
import { planFaults } from '../../src/faults/all.ts';
import { letHappen } from '../../src/faults/happen.ts';
import { enter } from '../../src/load/create.ts';
import { followFeeds, readOn } from '../../src/load/load.ts';
import { pay } from '../../src/load/payer.ts';
import { openStores } from '../../src/load/stores.ts';
import { anyStore, pause, until, type World } from '../../src/load/world.ts';
import { openObservations, type PaymentBody } from '../../src/observations.ts';
import { seededRandom } from '../../src/random.ts';
import { startReceivers } from '../../src/receivers/receivers.ts';
import { worldOf } from '../../src/run.ts';
import { root } from '../../src/sources.ts';
import { startCluster } from '../../src/system/cluster.ts';
import { startSystem } from '../../src/system/system.ts';

// The whole attack makes a story of each payment, for which two cores have time some twenty times a second. Here sales
// alone are made, ten times as many, and one in ten is paid.
const perSecond = 200;
const seconds = 25;
const onePaidIn = 10;
const maxInFlight = 300;
const faults = [
  'api-killed',
  'dispatcher-killed',
  'psp-killed',
  'api-restarted',
  'primary-killed',
  'primary-demoted',
  'nats-leader-killed',
];
const env = { CHARGE_EXPIRES_IN_SECONDS: '3600', REVIEW_TIMEOUT_SECONDS: '3600' };

t.setTimeout(900_000);

t.test(
  `beside ${perSecond} sales a second, kills and failovers, a feed skips and repeats nothing`,
  {
    timeout: 900_000,
  },
  async (t) => {
    const observations = openObservations();
    const system = await startSystem({
      sources: root,
      dispatchers: 2,
      startBacking: startCluster,
      logLevel: 'warn',
      env,
      onCrash: (line) => t.fail(line),
    });
    const random = seededRandom(47);
    const receivers = await startReceivers(observations, random.fork('receivers'));
    t.teardown(async () => {
      await system.stop();
      await receivers.close();
    });
    const world = worldOf(system, observations, { random: random.fork('load'), receivers });
    await openStores(world);

    const planned = planFaults(random.fork('faults'), { names: faults, seconds });
    const happening = letHappen({ system, receivers }, planned, world.isOver);
    const readers = followFeeds(world);
    const startedAt = performance.now();
    const offered = await sell(world, perSecond * seconds);
    const tookSeconds = (performance.now() - startedAt) / 1_000;
    world.end();
    await Promise.all([readers, happening.done]);

    for (const store of observations.stores) {
      const written = await until(120_000, async () => {
        while (await readOn(world, store, store.followed));
        const rows = await eventsOf(system.backing.cluster!.pair.primary.url, store.id);
        return store.followed.items.length >= rows.length ? rows : undefined;
      });
      const read = store.followed.items.map(({ id }) => id);
      t.same(
        read,
        written ?? [],
        `${store.name}: what its reader has is what the database holds, in its order`,
      );
      const sold = store.payments.map(({ id }) => id);
      const told = new Set(store.followed.items.map(({ paymentId }) => paymentId));
      t.same(
        sold.filter((id) => !told.has(id)),
        [],
        `${store.name}: each payment that was answered is told`,
      );
    }
    const { payments, failures, counts } = observations;
    const events = observations.stores.reduce((sum, { followed }) => sum + followed.items.length, 0);
    t.comment(
      `${offered} sales offered in ${tookSeconds.toFixed(1)} s, ${payments.size} answered (${(payments.size / tookSeconds).toFixed(0)} a second), ` +
        `${counts.get('Pix paid') ?? 0} paid, ${events} events read, ${failures.length} requests without an answer, ` +
        `faults: ${happening.windows.map(({ fault }) => fault).join(', ')}`,
    );
    t.ok(
      happening.windows.some(({ kind }) => kind === 'postgres'),
      'a server failed over',
    );
  },
);

/** Offers sales at a steady rate, whatever is answered. @returns how many were offered */
async function sell(world: World, sales: number): Promise<number> {
  const inFlight = new Set<Promise<void>>();
  let offered = 0;
  const from = Date.now();
  for (let number = 0; number < sales; number += 1) {
    await pause(Math.max(0, from + (number * 1_000) / perSecond - Date.now()));
    if (inFlight.size >= maxInFlight) continue;
    offered += 1;
    const sale = sellOne({ ...world, random: world.random.fork(String(number)) }, number).finally(() =>
      inFlight.delete(sale),
    );
    inFlight.add(sale);
  }
  await Promise.all(inFlight);
  return offered;
}

async function sellOne(world: World, number: number): Promise<void> {
  const store = anyStore(world)!;
  const request = { amount: 12.34, observation: String(number) };
  const { token } = store;
  const answer = await world.api<PaymentBody>('create', '/api-public/payments', { token, body: request });
  if (answer.status !== 200) return;
  const payment = enter(world, store, { request, body: answer.body, plan: 'sold' });
  if (number % onePaidIn === 0) await pay(world, payment, 1_234);
}

async function eventsOf(url: string, storeId: string): Promise<string[]> {
  return inSession(url, async (client) => {
    const { rows } = await client.query(
      'select id from events where store_id = $1 order by place, sequence, id',
      [storeId],
    );
    return rows.map(({ id }) => id);
  });
}
