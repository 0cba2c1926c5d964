import { eventually } from '@payments/testing/system';
import t from 'tap';
import { dispatcherProcesses } from './dispatcher-processes.ts';
import { startLoad } from './load.ts';
import { openShop, openSystem, story } from './shop.ts';

t.test('the only dispatcher is killed repeatedly under load: no webhook is lost', async (t) => {
  const system = await openSystem(t, { dispatcher: false });
  const shop = await openShop(t, system);
  const dispatchers = dispatcherProcesses(t, system);
  const load = startLoad(shop, { atOnce: 3, pay: true });
  for (let kill = 0; kill < 2; kill += 1) {
    await dispatchers.start();
    const before = load.created.length;
    await eventually('more sales', async () => load.created.length > before + 10 || undefined);
    await dispatchers.killOldest();
  }
  await load.stop();
  t.same(load.refused, [], 'every creation succeeded');
  t.ok(load.created.length > 20, `${load.created.length} payments`);
  await dispatchers.start();

  for (const payment of load.created) {
    const webhooks = await shop.untilWebhooks(payment, 2);
    t.same(story(webhooks), ['created pending', 'pending approved']);
  }
  const ids = new Set(shop.received.map(({ headers }) => headers['webhook-id']));
  t.equal(ids.size, 2 * load.created.length);
  await eventually('every delivery to end', async () => {
    const { body } = await system.admin('/admin/deliveries?state=pending&limit=1');
    return body.total === 0 || undefined;
  });
  const { body } = await system.admin('/admin/deliveries?state=dead&limit=1');
  t.equal(body.total, 0);
  t.comment(`${load.created.length} payments, ${shop.received.length - ids.size} webhooks repeated`);
});
