import { connect } from '@payments/database/connection';
import { DatabaseUnavailable } from '@payments/database/errors';
import { readClock } from '@payments/database/health';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t, { type Test } from 'tap';
import { bothHosts, portOf, sell, sellsAgain, startPair, untilRefused, withHosts } from './failover.ts';

t.test('the primary freezes with its connections open, and DATABASE_URL names both', async (t) => {
  const pair = await startPair(t);
  const { shop, load } = await sell(t, bothHosts(pair));
  const asked = await patientlyAsked(t, bothHosts(pair));
  pair.freezePrimary();
  const cut = asked();
  await untilRefused(load);
  await pair.promote();
  await sellsAgain(t, load, shop);
  await cut;
});

t.test('the primary freezes, and the address moves to the promoted standby', async (t) => {
  const pair = await startPair(t);
  const service = await startTcpProxy(portOf(pair.primary.url));
  t.teardown(service.close);
  const url = withHosts(pair.primary.url, `127.0.0.1:${service.port}`);
  const { shop, load } = await sell(t, url);
  const asked = await patientlyAsked(t, url);
  pair.freezePrimary();
  const cut = asked();
  await pair.promote();
  service.lead(portOf(pair.standby.url));
  await sellsAgain(t, load, shop);
  await cut;
});

/**
 * Connects without a time-out of statements: only the look for the server that takes writes ends one at a frozen server.
 * @returns what asks the server, and proves that this ends
 */
async function patientlyAsked(t: Test, url: string): Promise<() => Promise<unknown>> {
  const patient = connect(url, { statementTimeoutMs: 0 });
  t.teardown(() => patient.destroy());
  await readClock(patient);
  return () => t.rejects(readClock(patient), DatabaseUnavailable, 'a statement waits for no time-out');
}
