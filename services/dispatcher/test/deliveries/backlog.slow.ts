import { startBadReceiver } from '@payments/testing/bad-receivers';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { insertBacklog } from './backlog.ts';
import { openScene, openShop, type Shop } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

// A hanging receiver hangs for longer than any test waits: a webhook that arrives did not wait for its end.
const { shop, system, sql } = await openScene(t, { env: { WEBHOOK_TIMEOUT_MS: '120000' } });
const openStore = () => openShop({ ...system, call: system.api });

/** Creates payments one after another, and waits for the webhook of each. */
async function isServed(t: import('tap').Test, store: Shop, count = 5): Promise<void> {
  const receiver = await watchReceiver(t);
  for (let n = 1; n <= count; n += 1) {
    await store.charge(receiver.at('/healthy'));
    await receiver.until(() => receiver.visits.length === n);
  }
  t.equal(receiver.visits.length, count);
}

t.test('thousands of due deliveries of one dead endpoint hide nothing behind them', async (t) => {
  const hanging = await startBadReceiver('hangs');
  t.teardown(hanging.close);
  await insertBacklog(sql, { storeId: shop.id, url: hanging.url, count: 8_000 });
  await eventually('attempts at the dead one', async () => hanging.requests() || undefined);
  await isServed(t, await openStore());
  t.ok(hanging.mostAtOnce() <= 2, `${hanging.mostAtOnce()} at a time`);
  // The same store's other endpoint waits no longer.
  await isServed(t, shop);
  await sql('update deliveries set next_attempt_at = null where url = $1', [hanging.url]);
});

t.test('thousands of deliveries behind an open circuit hide nothing', async (t) => {
  const url = 'http://127.0.0.1:9/open';
  await sql(
    `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since, open_until)
    values (endpoint_of($1, $2), $1, $2, 10, 1, now(), now() + interval '1 hour')`,
    [shop.id, url],
  );
  await insertBacklog(sql, { storeId: shop.id, url, count: 8_000 });
  await isServed(t, await openStore());
  const [{ attempts }] = await sql('select sum(attempts)::int as attempts from deliveries where url = $1', [
    url,
  ]);
  t.equal(attempts, 0);
  await sql('update deliveries set next_attempt_at = null where url = $1', [url]);
});

t.test('many dead endpoints with a few hundred deliveries each hide nothing', async (t) => {
  const hanging = await startBadReceiver('hangs');
  t.teardown(hanging.close);
  const [well, store] = [await watchReceiver(t), await openStore()];
  // It has responded here before, as any endpoint in use has.
  await store.charge(well.at('/well'));
  await well.until(() => well.visits.length === 1);
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      insertBacklog(sql, { storeId: shop.id, url: `${hanging.url}/${index}`, count: 50 }),
    ),
  );
  while (hanging.mostAtOnce() < 100) await new Promise((resolve) => setTimeout(resolve, 20));
  for (let n = 2; n <= 6; n += 1) {
    await store.charge(well.at('/well'));
    await well.until(() => well.visits.length === n);
  }
  t.ok(hanging.mostAtOnce() <= 256, `${hanging.mostAtOnce()} of 512 slots are taken by those that hang`);
  await sql("update deliveries set next_attempt_at = null where state = 'pending'");
});

t.test('hundreds of dead endpoints don’t delay the first attempt to an unknown endpoint', async (t) => {
  const hanging = await startBadReceiver('hangs');
  t.teardown(hanging.close);
  const urls = Array.from({ length: 300 }, (_, index) => `${hanging.url}/dead/${index}`);
  await sql(
    `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since)
    select endpoint_of($1, url), $1, url, 3, 0, now() from unnest($2::text[]) url`,
    [shop.id, urls],
  );
  await Promise.all(urls.map((url) => insertBacklog(sql, { storeId: shop.id, url, count: 5 })));
  while (hanging.mostAtOnce() < 85) await new Promise((resolve) => setTimeout(resolve, 20));
  await isServed(t, await openStore(), 1);
  t.equal(hanging.mostAtOnce(), 85, 'one store’s get at most two thirds of a quarter of the slots');
});
