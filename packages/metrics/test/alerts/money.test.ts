import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

const halfAnHour = 1_800;

t.test('a payment waits in review, and then longer than it may', async (t) => {
  const { charge, pay, system, store, faults, advance, monitoring, untilFiring, untilQuiet } =
    await startMonitored(t);
  const payment = await charge();
  await pay(payment, 5);
  await system.waitForStatus(store, payment.id, 'review');
  t.same(await monitoring.firing('PaymentsReviewWaiting'), []);
  advance(halfAnHour / 2);
  await untilFiring('PaymentsReviewWaiting');
  t.same(await monitoring.firing('PaymentsReviewOverdue'), []);
  await faults({ status: 503, only: ['putDevolucao', 'getDevolucao'] });
  advance(halfAnHour / 2 + 300);
  await untilFiring('PaymentsReviewOverdue');
  await faults({ status: 0, only: [] });
  advance(600);
  await system.waitForStatus(store, payment.id, 'not_approved', 30_000);
  await untilQuiet('PaymentsReviewOverdue');
});

t.test('the PSP does not make a refund: money is owed until it is ordered anew', async (t) => {
  const { charge, pay, system, store, faults, untilFiring, untilQuiet } = await startMonitored(t);
  await faults({ refuseRefunds: true });
  const payment = await charge();
  await pay(payment, 5);
  await system.waitForStatus(store, payment.id, 'review');
  await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  await untilFiring('PaymentsRefundFailed');
  const { body: detail } = await system.admin(`/admin/payments/${payment.id}`);
  await faults({ refuseRefunds: false });
  const { status } = await system.admin(
    `/admin/payments/${payment.id}/refunds/${detail.refunds[0].id}/retry`,
    { method: 'POST' },
  );
  t.ok(status < 300);
  await untilQuiet('PaymentsRefundFailed');
});

t.test('the PSP takes hours for a refund', async (t) => {
  const { charge, pay, system, store, faults, advance, monitoring, untilFiring } = await startMonitored(t);
  await faults({ slowRefundsMs: 600_000 });
  const payment = await charge();
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  await pay(payment);
  await eventually(30_000, 'the second Pix to be refunded', async () => {
    const { body } = await system.admin(`/admin/payments/${payment.id}`);
    return body.refunds[0]?.state === 'processing' || undefined;
  });
  t.same(await monitoring.firing('PaymentsRefundsStuck'), []);
  advance(3_600);
  await untilFiring('PaymentsRefundsStuck');
});
