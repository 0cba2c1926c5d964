import { createTestDatabase } from '@payments/testing/database';
import { testNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import pg from 'pg';
import t from 'tap';
import { openShop } from './scene.ts';
import { openSql } from './sql.ts';
import { watchReceiver } from './watched-receiver.ts';

t.test('a delivery whose claim was committed and not answered is sent within seconds', async (t) => {
  const [database, nats] = await Promise.all([createTestDatabase(), testNats()]);
  const behind = new URL(database.url);
  const proxy = await startTcpProxy(Number(behind.port));
  behind.port = String(proxy.port);
  const env = { NATS_STREAM: nats.stream };
  const system = await startProcessSystem({ databaseUrl: behind.href, natsUrl: nats.url, env });
  t.teardown(async () => {
    await system.stop();
    await Promise.all([proxy.close(), nats.stop()]);
    await database.drop();
  });
  const sql = openSql(t, database.url);
  const receiver = await watchReceiver(t);
  const shop = await openShop(system);

  const lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  // A claim waits until this connection ends.
  await lock.query(`select pg_advisory_lock(1);
      create function stand_still() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(1); return new; end $$;
      create trigger pause after update on deliveries for each row execute function stand_still()`);
  await shop.charge(receiver.at('/'));
  await eventually(10_000, 'the claim to stand at the lock', async () => {
    const [{ waiting }] = await sql(`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%with rested as%'`);
    return waiting > 0 || undefined;
  });
  proxy.cut();
  await lock.end();
  await eventually(5_000, 'the claim to be committed', async () => {
    const [{ attempts }] = await sql('select attempts from deliveries');
    return attempts === 1 || undefined;
  });
  t.same(receiver.visits, []);
  await receiver.until(() => receiver.visits.length === 1, 20_000);
  await eventually(5_000, 'its record', async () => {
    const [{ state, attempts }] = await sql('select state, attempts from deliveries');
    return (state === 'delivered' && attempts === 2) || undefined;
  });
});
