import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startLoad } from './load.ts';
import { openShop, openSystem, story } from './shop.ts';

const postgres = await startOwnPostgres();
t.teardown(() => postgres.remove());
const database = connect(postgres.url);
await migrateToLatest(database);
await database.destroy();
// Test servers may lose the last commits in a crash; this one keeps what it confirmed.
const DATABASE_URL = `${postgres.url}?options=${encodeURIComponent('-c synchronous_commit=on')}`;
const system = await openSystem(t, { env: { DATABASE_URL } });
const shop = await openShop(t, system);
const unavailable = { statusCode: 503, message: 'Serviço temporariamente indisponível.' };

for (const [how, end] of [
  ['stopped', () => postgres.stop()],
  ['killed', () => postgres.kill()],
] as const) {
  t.test(`PostgreSQL is ${how} and started under load: 503 meanwhile, then recovery by itself`, async (t) => {
    const load = startLoad(shop, { atOnce: 4, pay: true });
    await shop.untilWebhooks(await shop.charge(10), 1);
    await end();
    const already = load.refused.length;
    await eventually('creation to be refused', async () => load.refused.length > already || undefined);
    const token = shop.store.token;
    for (const path of ['/api-public/payments', '/api-public/payments/x', '/health/ready', '/qr/x.png']) {
      const { status, body, headers } = await system.api(path, { token });
      if (status === 404) continue;
      t.same({ path, status, body }, { path, status: 503, body: unavailable });
      t.ok(headers.get('retry-after'));
    }
    t.equal((await system.api('/health/live')).status, 200);
    t.equal((await system.admin('/admin/stores')).status, 503);

    await postgres.start();
    const back = performance.now();
    await eventually('the API to be ready', async () => {
      const { status } = await system.api('/health/ready');
      return status === 200 || undefined;
    });
    t.comment(`ready ${Math.round(performance.now() - back)} ms after PostgreSQL was back`);
    const before = load.created.length;
    await eventually('creation to go on', async () => load.created.length > before + 5 || undefined);
    await load.stop();
    for (const { status, body } of load.refused) t.same({ status, body }, { status: 503, body: unavailable });
    for (const payment of load.created) {
      t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
      t.equal((await shop.read(payment)).status, 'approved', 'a creation with a 200 is not lost');
    }
  });
}
