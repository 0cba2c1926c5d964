import { createTestDatabase } from '@payments/testing/database';
import { testNats } from '@payments/testing/nats';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { holdClaims } from './held-claims.ts';
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

  const claims = await holdClaims(sql, database.url);
  await shop.charge(receiver.at('/'));
  await claims.untilClaimed();
  proxy.cut();
  await claims.release();
  await eventually('the claim to be committed', async () => {
    const [{ attempts }] = await sql('select attempts from deliveries');
    return attempts === 1 || undefined;
  });
  t.same(receiver.visits, []);
  await receiver.until(() => receiver.visits.length === 1);
  await eventually('its record', async () => {
    const [{ state, attempts }] = await sql('select state, attempts from deliveries');
    return (state === 'delivered' && attempts === 2) || undefined;
  });
});
