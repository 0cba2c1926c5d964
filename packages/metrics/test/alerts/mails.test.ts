import { startMailServer } from '@payments/testing/mail-server';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

const aQuarter = 15 * 60;

t.test('mails wait in vain for the mail server, and leave once it is back', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'pix@localhost', REVIEW_TIMEOUT_SECONDS: '86400' };
  const { charge, pay, system, store, advance, monitoring, untilFiring, untilQuiet } = await startMonitored(
    t,
    env,
  );
  const person = { name: 'Ana', email: 'ana@example.com', role: 'operator' };
  await system.admin('/admin/accounts', { body: person });
  mail.behave({ at: 'connect', does: 421 });
  const payment = await charge();
  await pay(payment, 5);
  await system.waitForStatus(store, payment.id, 'review');
  await eventually('a try', async () => {
    const { body } = await system.admin('/admin/notices?kind=review_waiting&state=pending');
    return body.items[0]?.lastError ?? undefined;
  });
  t.same(await monitoring.firing('PaymentsMailFailing'), []);
  advance(aQuarter + 60);
  await untilFiring('PaymentsMailFailing');
  mail.behave();
  advance(60);
  await mail.waitFor(({ to, subject }) => to === person.email && /análise/.test(subject));
  await untilQuiet('PaymentsMailFailing');
});

t.test('a mail that its server refuses is a ticket', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'pix@localhost' };
  const { charge, pay, system, untilFiring } = await startMonitored(t, env);
  mail.behave({ at: 'rcpt', does: 550 });
  await system.admin('/admin/accounts', {
    body: { name: 'Ana', email: 'ana@example.com', role: 'operator' },
  });
  await pay(await charge(), 5);
  await untilFiring('PaymentsMailFailing');
});

t.test('without a mail server nobody is told, and nothing fires', async (t) => {
  const { system, advance, monitoring } = await startMonitored(t, {});
  await system.admin('/admin/accounts', {
    body: { name: 'Ana', email: 'ana@example.com', role: 'operator' },
  });
  const { body } = await system.admin('/admin/notices?state=pending');
  t.match(body.items, [{ kind: 'invitation', attempts: 0 }]);
  advance(2 * aQuarter);
  t.same(await monitoring.firing('PaymentsMailFailing'), []);
});
