import { startProcessSystem } from '@payments/testing/process-system';
import t from 'tap';
import { openEvents } from './event-stream.ts';

/** Open pages of payers hold no stop up: they turn to another replica (Contract: restarts). */
const delayMs = 6_000;
const system = await startProcessSystem({ dispatchers: 0, env: { SHUTDOWN_DELAY_MS: String(delayMs) } });
t.teardown(system.stop);
const { token } = await system.createStore();

t.test('SIGTERM ends open streams at once, and the process in its time', async (t) => {
  const create = () => system.call('/api-public/payments', { token, body: { amount: 10 } });
  const payments = (await Promise.all(Array.from({ length: 10 }, create))).map(({ body }) => body);
  const follow = ({ id }: { id: string }) => openEvents(`${system.url}/pay/${id}/events`);
  const pages = payments.flatMap((payment) => Array.from({ length: 20 }, () => payment));
  const streams = await Promise.all(pages.map(follow));
  await Promise.all(streams.map((stream) => stream.until('waiting')));
  const exited = system.api.kill('SIGTERM');
  await Promise.all(streams.map(({ ended }) => ended));
  // All have ended while balancers turn away, since the process still serves.
  const late = await follow(payments[0]!);
  t.equal(late.status, 200, 'a straggler is told the state');
  await late.until('waiting');
  t.same(await exited, { code: 0, signal: null }, 'an end that is not forced');
  await late.ended;
});
