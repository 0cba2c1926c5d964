import { connect } from '@payments/database/connection';
import { ping } from '@payments/database/health';
import { waitForDatabase } from '@payments/startup/wait-for-database';
import { startPooledDatabase } from '@payments/testing/pooled-database';
import { eventually } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';
import { startLoad } from './load.ts';
import { openShop, openSystem, story } from './shop.ts';

const missing = 'this machine has no pgbouncer (Debian and Ubuntu: apt-get install pgbouncer)';
const ignored = 'ignore_startup_parameters=statement_timeout,idle_in_transaction_session_timeout,options';

t.test('PgBouncer in transaction mode, with fewer sessions than there are connections', async (t) => {
  const database = await startPooledDatabase([ignored, 'default_pool_size=4']);
  if (!database) return void t.pass(missing, { skip: missing });
  t.teardown(database.remove);
  const system = await openSystem(t, { env: { DATABASE_URL: database.url } });
  const shop = await openShop(t, system);
  const load = startLoad(shop, { atOnce: 8, pay: true });
  await eventually('sales', async () => load.created.length > 300 || undefined);
  await load.stop();
  t.same(load.refused, []);
  for (const payment of load.created)
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
});

t.test('PgBouncer that is not told to ignore our parameters: the start ends, and says which', async (t) => {
  const database = await startPooledDatabase([]);
  if (!database) return void t.pass(missing, { skip: missing });
  t.teardown(database.remove);
  const db = connect(database.url);
  t.teardown(() => db.destroy());
  await t.rejects(
    waitForDatabase(() => ping(db), pino({ level: 'silent' })),
    {
      message: /^DATABASE_URL: the pooler refuses the startup parameter \w+: see ignore_startup_parameters$/,
    },
  );
});
