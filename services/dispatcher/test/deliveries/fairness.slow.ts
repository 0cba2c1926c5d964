import t, { type Test } from 'tap';
import { insertBacklog } from './backlog.ts';
import { openScene, openShop } from './scene.ts';
import { type WatchedReceiver, watchReceiver } from './watched-receiver.ts';

// Longer than the test, so a webhook that waits for a time-out fails it.
const env = { WEBHOOK_TIMEOUT_MS: '120000' };
const twoThirdsOf = (slots: number) => Math.floor((2 / 3) * slots);
const hangs = () => ({ instead: 'hang' }) as const;

/** A new system, in which no receiver is proven, with the store that attacks and one beside it. */
async function openTwoStores(t: Test) {
  const { system, shop, sql } = await openScene(t, { env });
  const other = await openShop({ ...system, call: system.api });
  const [attacker, receiver] = [await watchReceiver(t), await watchReceiver(t)];
  return { sql, shop, other, attacker, receiver };
}

/** @returns the payments of one store, each once its first webhook has come */
async function sellAndHear(store: Awaited<ReturnType<typeof openShop>>, receiver: WatchedReceiver) {
  for (const path of ['/always', '/new', '/always']) {
    const payment = await store.charge(receiver.at(path));
    await receiver.until(() => receiver.of(payment).length > 0);
  }
}

const inFlightAt = ({ visits }: WatchedReceiver) => visits.filter(({ endedAt }) => !endedAt).length;

/** Asserts that one store's hanging attempts hold this many slots, and that another store is served beside them. */
async function assertServed(
  t: Test,
  { other, attacker, receiver }: Awaited<ReturnType<typeof openTwoStores>>,
  slots: number,
) {
  await attacker.until(() => inFlightAt(attacker) >= slots);
  await sellAndHear(other, receiver);
  t.equal(attacker.visits.filter(({ endedAt }) => endedAt).length, 0, 'no time-out made room for them');
  t.equal(inFlightAt(attacker), slots);
}

t.test('a store whose proven receivers hang holds up no other store', async (t) => {
  const scene = await openTwoStores(t);
  const { sql, shop, attacker } = scene;
  const paths = ['/1', '/2', '/3', '/4'];
  for (const path of paths) await shop.charge(attacker.at(path));
  await attacker.until(() => attacker.visits.filter(({ endedAt }) => endedAt).length === paths.length);
  attacker.visits.length = 0;
  attacker.answerWith(hangs);
  for (const path of paths)
    await insertBacklog(sql, { storeId: shop.id, url: attacker.at(path), count: 300 });
  await assertServed(t, scene, twoThirdsOf(512));
});

t.test(
  'a store with thousands of URLs that hang holds up no other store, whose receivers are new',
  async (t) => {
    const scene = await openTwoStores(t);
    const { sql, shop, attacker } = scene;
    attacker.answerWith(hangs);
    await insertBacklog(sql, { storeId: shop.id, url: attacker.at('/{n}'), count: 10_000 });
    await assertServed(t, scene, twoThirdsOf(256));
  },
);

t.test('a store’s long queue at receivers that respond delays no other store', async (t) => {
  const { sql, shop, other, attacker, receiver } = await openTwoStores(t);
  const count = 10_000;
  await insertBacklog(sql, { storeId: shop.id, url: attacker.at('/{n}'), count });
  await attacker.until(() => attacker.visits.length > 0);
  await sellAndHear(other, receiver);
  t.ok(attacker.visits.length < count, `${attacker.visits.length} of ${count} came before`);
});

t.test('a store’s working receiver is found behind its open circuits', async (t) => {
  const { sql, shop, other, receiver } = await openTwoStores(t);
  const dead = 'http://127.0.0.1:9/{n}';
  await insertBacklog(sql, { storeId: shop.id, url: dead, count: 3_000, age: '-1 hour' });
  await sql(
    `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until)
    select endpoint, store_id, url, 10, 1, now(), now() + interval '1 hour' from deliveries where url like 'http://127.0.0.1:9/%'`,
  );
  await sql(
    `update deliveries set next_attempt_at = now() - interval '1 hour' where url like 'http://127.0.0.1:9/%'`,
  );
  await sellAndHear(shop, receiver);
  await sellAndHear(other, receiver);
  const [{ attempts }] = await sql(
    `select sum(attempts)::int as attempts from deliveries where url like '%:9/%'`,
  );
  t.equal(attempts, 0);
});
