import { startProcessSystem } from '@payments/testing/process-system';
import { startReceiver } from '@payments/testing/receiver';
import { eventually } from '@payments/testing/system';
import t from 'tap';

/**
 * SIGTERM lets attempts in flight end and be recorded; the next dispatcher gets the rest at once (Contract: restarts).
 */
const system = await startProcessSystem({
  // No answer is too late on a slow machine.
  env: { LOG_LEVEL: 'info', WEBHOOK_CONCURRENCY_PER_ENDPOINT: '2', WEBHOOK_TIMEOUT_MS: '60000' },
});
t.teardown(system.stop);
const store = await system.createStore();
const create = (webhookUrl: string) =>
  system.call('/api-public/payments', { token: store.token, body: { amount: 10, webhookUrl } });
const deliveries = async (state: string) =>
  (await system.admin(`/admin/deliveries?state=${state}`)).body.total as number;

t.test(
  'SIGTERM: attempts in flight end, no new one begins, and another dispatcher continues at once',
  async (t) => {
    const looked = Promise.withResolvers<void>();
    const receiver = await startReceiver({ answer: () => ({ status: 200, after: looked.promise }) });
    t.teardown(receiver.close);
    for (let n = 0; n < 4; n += 1) await create(receiver.url);
    await eventually('four deliveries', async () =>
      (await deliveries('pending')) + (await deliveries('delivered')) === 4 ? true : undefined,
    );
    await receiver.waitForCount(1);
    const [dispatcher] = system.dispatchers;
    const exited = dispatcher!.kill('SIGTERM');
    await dispatcher!.waitForLine(/stopping/);
    const readiness = await fetch(`http://127.0.0.1:${dispatcher!.port}/health/ready`);
    t.equal(readiness.status, 503, 'it is not ready');
    t.equal((await fetch(`http://127.0.0.1:${dispatcher!.port}/health/live`)).status, 200, 'though it lives');
    looked.resolve();
    t.same(await exited, { code: 0, signal: null });
    const begun = receiver.received.length;
    t.ok(begun <= 2, 'no new one began');
    t.equal(await deliveries('delivered'), begun, 'every attempt that was begun is recorded');
    t.equal(await deliveries('pending'), 4 - begun);

    receiver.answerWith(() => ({ status: 200 }));
    const since = performance.now();
    await system.startDispatcher();
    await eventually('the rest', async () => ((await deliveries('delivered')) === 4 ? true : undefined));
    t.equal(receiver.received.length, 4, 'nothing was sent twice');
    t.comment(
      `the rest was delivered ${Math.round(performance.now() - since)} ms after the next began to start`,
    );
  },
);
