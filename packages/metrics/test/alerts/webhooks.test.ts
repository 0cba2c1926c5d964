import { startOwnNats } from '@payments/testing/nats';
import { startReceiver } from '@payments/testing/receiver';
import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

t.test('a receiver is dead: its circuit opens, and its deliveries die', async (t) => {
  const { charge, untilFiring, monitoring } = await startMonitored(t, {
    WEBHOOK_RETRY_SECONDS: '0.02,0.02,0.02',
  });
  const dead = await startReceiver({ answer: () => ({ status: 500 }) });
  t.teardown(dead.close);
  await charge();
  t.same(await monitoring.firing('PaymentsReceiverDown'), []);
  for (let made = 0; made < 4; made += 1) await charge(10, { webhookUrl: dead.url });
  await untilFiring('PaymentsDeliveriesDead');
  await untilFiring('PaymentsReceiverDown');
});

t.test('a webhook secret that no key opens', async (t) => {
  const { system, store, charge, untilFiring, monitoring, webhookUrl } = await startMonitored(t);
  await charge(10, { webhookUrl });
  t.same(await monitoring.firing('PaymentsWebhooksUnsigned'), []);
  const webhookSecret = `sealed:${Buffer.alloc(60).toString('base64url')}`;
  await system.db.updateTable('stores').set({ webhookSecret }).where('id', '=', store.id).execute();
  await charge(10, { webhookUrl });
  await untilFiring('PaymentsWebhooksUnsigned');
  t.same(await monitoring.firing('PaymentsDeliveriesDead'), [], 'it is not given up');
});

t.test('NATS is down, then the dispatcher, too', async (t) => {
  const nats = await startOwnNats();
  t.teardown(() => nats.remove());
  const { charge, advance, stopDispatcher, monitoring, untilFiring, untilQuiet } = await startMonitored(t, {
    NATS_URL: nats.url,
    WEBHOOK_RETRY_SECONDS: '1',
  });
  await charge();
  t.same(await monitoring.allFiring(), []);

  await nats.stop();
  await untilFiring('PaymentsNatsDown');
  await charge();
  t.same(await monitoring.firing('PaymentsEventsStuck'), [], 'an event has not waited for long');
  advance(60);
  await untilFiring('PaymentsEventsStuck');

  // A delivery falls due.
  const failing = await startReceiver({ answer: () => ({ status: 500 }) });
  t.teardown(failing.close);
  await charge(10, { webhookUrl: failing.url });
  advance(60);
  await failing.waitForCount(1);
  await stopDispatcher();
  await untilFiring('PaymentsServiceDown');
  t.match(await untilFiring('PaymentsServiceGone'), [{ labels: { job: 'payments-dispatcher' } }]);
  advance(180);
  await untilFiring('PaymentsDeliveriesBehind');

  await nats.start();
  await untilQuiet('PaymentsNatsDown');
  await untilQuiet('PaymentsEventsStuck');
});
