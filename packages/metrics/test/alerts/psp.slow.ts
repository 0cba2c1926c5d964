import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

// Each test has a system of its own, and mostly waits.
t.jobs = 3;

/** @returns the seconds that a creation took */
async function secondsOf(charge: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await charge();
  return (performance.now() - since) / 1_000;
}

t.test(
  'a good day: payments are created, paid and delivered, and nothing fires',
  { buffered: true },
  async (t) => {
    const { charge, pay, system, store, monitoring } = await startMonitored(t);
    for (let made = 0; made < 5; made += 1) {
      const payment = await charge();
      await pay(payment);
      await system.waitForStatus(store, payment.id, 'approved');
      await monitoring.scrape();
    }
    t.same(await monitoring.allFiring(), []);
  },
);

t.test('the PSP cuts every connection', { buffered: true }, async (t) => {
  const { charge, faults, advance, monitoring, untilFiring, untilQuiet } = await startMonitored(t);
  await charge();
  await faults({ disconnect: true });
  for (let made = 0; made < 4; made += 1) await charge();
  await untilFiring('PaymentsPspUnavailable');
  await untilFiring('PaymentsPspErrors');
  t.same(await monitoring.firing('PaymentsChargesUnregistered'), [], 'charges have not waited for long');
  advance(600);
  await untilFiring('PaymentsChargesUnregistered');
  await faults({ disconnect: false });
  await untilQuiet('PaymentsPspUnavailable');
  await untilQuiet('PaymentsChargesUnregistered');
  t.pass('over when it is back');
});

t.test('the PSP took no new charges, and nobody asks it for any since', { buffered: true }, async (t) => {
  const { system, charge, faults, advance, untilFiring, untilQuiet } = await startMonitored(t);
  await faults({ status: 503, only: ['putCob'] });
  const waiting = await Promise.all([charge(), charge(), charge(), charge()]);
  await untilFiring('PaymentsPspUnavailable');
  for (const { id } of waiting)
    await system.admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
  await faults({ status: 0, only: [] });
  advance(60);
  await untilQuiet('PaymentsPspUnavailable');
  t.pass('over, though no new charge has shown that the PSP is well');
});

t.test('the PSP refuses charges for good', { buffered: true }, async (t) => {
  const { charge, faults, untilFiring, untilQuiet } = await startMonitored(t);
  await faults({ status: 400, only: ['putCob'] });
  await charge();
  await untilFiring('PaymentsChargesRefused');
  await faults({ status: 0 });
  await untilQuiet('PaymentsChargesRefused');
  t.pass('over when it takes them');
});

t.test('the PSP is slow to register charges', { buffered: true }, async (t) => {
  const { charge, faults, untilFiring, monitoring } = await startMonitored(t);
  const seconds = await secondsOf(charge);
  if (seconds < 1) t.same(await monitoring.firing('PaymentsCreationSlow'), []);
  await faults({ latencyMs: 2_600, only: ['putCob'] });
  await Promise.all([charge(), charge()]);
  await untilFiring('PaymentsCreationSlow');
});

t.test('the PSP refuses our credentials', { buffered: true }, async (t) => {
  const { untilFiring } = await startMonitored(t, { PIX_CLIENT_SECRET: 'not-ours' });
  await untilFiring('PaymentsPspRefusesAccess');
});

t.test('the PSP sends no callbacks: reconciliation finds the Pix', { buffered: true }, async (t) => {
  const { charge, pay, faults, system, store, untilFiring } = await startMonitored(t);
  await faults({ dropCallbacks: true });
  for (let made = 0; made < 5; made += 1) {
    const payment = await charge();
    await pay(payment);
    await system.waitForStatus(store, payment.id, 'approved');
  }
  await untilFiring('PaymentsCallbacksMissed');
});
