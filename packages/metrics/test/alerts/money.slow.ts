import { type CheckedDay, recordCheckedDay } from '@payments/database/reconciliation/checked-days';
import { createPixClient } from '@payments/pix/client';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

// Each test has a system of its own, and mostly waits.
t.jobs = 3;

const halfAnHour = 1_800;

t.test('a payment waits in review, and then longer than it may', { buffered: true }, async (t) => {
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
  await system.waitForStatus(store, payment.id, 'not_approved');
  await untilQuiet('PaymentsReviewOverdue');
});

t.test(
  'the PSP keeps refusing a refund: money is owed until a person has it made',
  { buffered: true },
  async (t) => {
    const { charge, pay, system, store, faults, advance, monitoring, untilFiring, untilQuiet } =
      await startMonitored(t, { REFUND_RETRY_SECONDS: '600' });
    await faults({ refuseRefunds: true });
    const payment = await charge();
    await pay(payment, 5);
    await system.waitForStatus(store, payment.id, 'review');
    await system.admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
    const refused = (count: number) =>
      eventually(`${count} refusals`, async () => {
        const { refunds } = (await system.admin(`/admin/payments/${payment.id}`)).body;
        const failed = refunds.filter(({ state }: { state: string }) => state === 'failed');
        return failed.length === count ? failed : undefined;
      });
    const shown = async (wanted: string) =>
      (await monitoring.scrape()).filter(({ name }) => name === wanted).map(({ value }) => value);
    await refused(1);
    await eventually('the order to be shown', async () =>
      (await shown('payments_refunds_to_order_again')).includes(1) ? true : undefined,
    );
    t.same(await monitoring.firing('PaymentsRefundsOwed'), [], 'the service orders it again by itself');
    advance(600);
    const [, last] = await refused(2);
    await untilFiring('PaymentsRefundsOwed');
    t.ok((await shown('payments_refunds_owed_reais')).includes(5));
    await faults({ refuseRefunds: false });
    const { status } = await system.admin(`/admin/payments/${payment.id}/refunds/${last?.id}/retry`, {
      method: 'POST',
    });
    t.equal(status, 202);
    await untilQuiet('PaymentsRefundsOwed');
  },
);

t.test(
  'a Pix pays a charge that the database does not know, as after a restore',
  { buffered: true },
  async (t) => {
    const { system, store, advance, monitoring, untilFiring, untilQuiet } = await startMonitored(t);
    const bank = createPixClient({
      url: system.bankUrl,
      clientId: 'client',
      clientSecret: 'secret',
      key: 'pix@example.com',
      timeoutMs: 30_000,
    });
    t.teardown(() => bank.close());
    const terms = { amount: 1_000, expiresInSeconds: 3_600, storeId: store.id };
    const { copyAndPaste } = await bank.putCharge('0190a5b0000070008000000000000000', terms);
    const { body: paid } = await system.bank('/bank/pay', { pixCopiaECola: copyAndPaste });
    t.same(await monitoring.firing('PaymentsPixUnmatched'), []);
    advance(360);
    await untilFiring('PaymentsPixUnmatched');
    t.same(await monitoring.firing('PaymentsChargesSetAside'), [], 'for a moment only');
    advance(600);
    await untilFiring('PaymentsChargesSetAside');
    const refund = await system.admin(`/admin/unmatched-pix/${paid.endToEndId}/refund`, { method: 'POST' });
    t.equal(refund.status, 202);
    await untilQuiet('PaymentsPixUnmatched');
    advance(3_600);
    await untilQuiet('PaymentsChargesSetAside');
  },
);

t.test('the bank takes money back (MED), before a payout and after it', { buffered: true }, async (t) => {
  const { charge, pay, system, store, advance, monitoring, untilFiring, untilQuiet } =
    await startMonitored(t);
  const payment = await charge();
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  const path = `/admin/payments/${payment.id}`;
  const { endToEndId } = (await system.admin(path)).body.pix[0]!;
  const takeBack = (valor: string) => system.bank('/bank/refunds', { endToEndId, valor });
  t.same(await monitoring.firing('PaymentsBankReturns'), []);
  await takeBack('3.00');
  await untilFiring('PaymentsBankReturns');
  t.same(await monitoring.firing('PaymentsBankReturnsAfterPayout'), [], 'the store was not paid yet');
  for (const status of ['paid', 'withdrawal_processing'])
    t.equal((await system.admin(`${path}/status`, { body: { status } })).status, 200);
  await takeBack('2.00');
  await untilFiring('PaymentsBankReturnsAfterPayout');
  const taken = await eventually('both returns to be made', async () => {
    const { body } = await system.admin(path);
    return body.amount === 5 ? body : undefined;
  });
  t.match(taken, { status: 'withdrawal_processing', charged: 10 });
  advance(24 * 3_600);
  await untilQuiet('PaymentsBankReturns');
  await untilQuiet('PaymentsBankReturnsAfterPayout');
});

t.test('the PSP takes hours for a refund', { buffered: true }, async (t) => {
  const { charge, pay, system, store, faults, advance, monitoring, untilFiring } = await startMonitored(t);
  await faults({ slowRefundsMs: 600_000 });
  const payment = await charge();
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  await pay(payment);
  await eventually('the second Pix to be refunded', async () => {
    const { body } = await system.admin(`/admin/payments/${payment.id}`);
    return body.refunds[0]?.state === 'processing' || undefined;
  });
  t.same(await monitoring.firing('PaymentsRefundsStuck'), []);
  advance(3_600);
  await untilFiring('PaymentsRefundsStuck');
});

t.test('a day at the bank and the same day here differ', { buffered: true }, async (t) => {
  const { system, monitoring, untilFiring, untilQuiet } = await startMonitored(t);
  const figures = { pixCount: 1, pixAmount: 1_000, refundCount: 0, refundAmount: 0 };
  const sums = { atBank: figures, ours: figures, others: { count: 0, amount: 0 } };
  const daysAgo = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toLocaleDateString('sv-SE', { timeZone: 'America/Sao_Paulo' });
  const keep = async (day: string, differences: CheckedDay['differences']) => {
    const now = new Date();
    const checked = { bank: 'default', day, checkedAt: now, settled: true, ...sums, differences };
    await recordCheckedDay(system.db, checked, now);
  };
  await keep(daysAgo(0), [{ kind: 'unreadable' }]);
  t.same(await monitoring.firing('PaymentsReconciliationDiffers'), [], 'today is not over');
  const day = daysAgo(2);
  await keep(day, [{ kind: 'unreadable' }]);
  await untilFiring('PaymentsReconciliationDiffers');
  await keep(day, []);
  await untilQuiet('PaymentsReconciliationDiffers');
});
