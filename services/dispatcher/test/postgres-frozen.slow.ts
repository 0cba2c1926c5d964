import { connect } from '@payments/database/connection';
import { DatabaseUnavailable } from '@payments/database/errors';
import { readClock } from '@payments/database/health';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t from 'tap';
import { bothHosts, portOf, sell, sellsAgain, startPair, untilRefused, withHosts } from './failover.ts';

t.test('the primary freezes with its connections open, and DATABASE_URL names both', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  const patient = connect(bothHosts(pair), { statementTimeoutMs: 0 });
  t.teardown(() => patient.destroy());
  await readClock(patient);
  pair.freezePrimary();
  const unanswered = t.rejects(readClock(patient), DatabaseUnavailable, 'a statement waits for no time-out');
  await untilRefused(load);
  await pair.promote();
  await unanswered;
  await sellsAgain(t, load, shop);
});

t.test('the primary freezes, and the address moves to the promoted standby', async (t) => {
  const pair = await startPair(t);
  const service = await startTcpProxy(portOf(pair.primary.url));
  t.teardown(service.close);
  const { shop, load } = await sell(t, withHosts(pair.primary.url, `127.0.0.1:${service.port}`));
  pair.freezePrimary();
  await pair.promote();
  service.lead(portOf(pair.standby.url));
  await sellsAgain(t, load, shop);
});
