import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';

/** SIGTERM finishes requests in flight. Balancers have time to react before a refusal (Contract: restarts). */
const system = await startProcessSystem({
  dispatchers: 0,
  env: { SHUTDOWN_DELAY_MS: '5000', LOG_LEVEL: 'info' },
});
const store = await system.createStore();
const { token } = store;

t.test(
  'SIGTERM: not ready at once, serving on, what is in flight answered, all of it within its time',
  async (t) => {
    // The bank responds after the end of the shutdown delay.
    await system.bank('/bank/faults', { latencyMs: 8_000, only: ['putCob'] });
    const inFlight = system.call('/api-public/payments', { token, body: { amount: 10 } });
    await eventually('the payment to be under way', async () => {
      const { body } = await system.call('/api-public/payments', { token });
      return body.total === 1 || undefined;
    });
    const exited = system.api.kill('SIGTERM');
    await system.api.waitForLine(/not ready any more/);

    const readiness = await system.call('/health/ready');
    t.equal(readiness.status, 503, 'balancers are told');
    t.equal(readiness.headers.get('connection'), 'close', 'and kept-alive connections end with an answer');
    t.equal((await system.call('/health/live')).status, 200, 'it is not to be killed for that');
    t.equal((await system.call('/api-public/payments', { token })).status, 200, 'stragglers are served');
    const { status, body } = await inFlight;
    t.equal(status, 200);
    t.match(body, { status: 'pending' });
    t.same(await exited, { code: 0, signal: null }, 'kept-alive connections hold nothing up');
    t.match(JSON.parse(system.api.lines.at(-1) ?? ''), { service: 'api', msg: 'stopped' });
  },
);

t.test('a connection that waits to be accepted when the process stops is answered, too', async (t) => {
  const waiting = 300;
  const api = await system.startApi({ SHUTDOWN_DELAY_MS: '0' });
  // The kernel takes its connections while the process does nothing.
  process.kill(api.pid, 'SIGSTOP');
  const answers = await Promise.all(
    Array.from({ length: waiting }, async () => {
      const socket = connect(api.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      return { answer: text(socket).catch((error: Error) => error.message) };
    }),
  );
  const exited = api.kill('SIGTERM');
  process.kill(api.pid, 'SIGCONT');
  const heard = await Promise.all(answers.map(({ answer }) => answer));
  t.same(
    heard.filter((answer) => !answer.startsWith('HTTP/1.1 200 ')),
    [],
  );
  t.same(await exited, { code: 0, signal: null });
});

t.teardown(system.stop);
