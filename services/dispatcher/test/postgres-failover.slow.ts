import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { bothHosts, portOf, sell, sellsAgain, startPair, untilRefused, withHosts } from './failover.ts';

t.test('the primary is killed, and the address moves to the promoted standby', async (t) => {
  const pair = await startPair(t);
  const service = await startTcpProxy(portOf(pair.primary.url));
  t.teardown(service.close);
  const { shop, load } = await sell(t, withHosts(pair.primary.url, `127.0.0.1:${service.port}`));
  await pair.primary.kill();
  service.lead(portOf(pair.standby.url));
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop);
});

t.test('the primary is killed, and DATABASE_URL names both', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  await pair.primary.kill();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop);
});

t.test('the primary is made read-only under open connections', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  await pair.demotePrimary();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop);
});
