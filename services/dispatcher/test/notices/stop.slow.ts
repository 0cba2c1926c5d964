import { startMailServer } from '@payments/testing/mail-server';
import t from 'tap';
import { dispatcherProcesses } from '../dispatcher-processes.ts';
import { openShop, openSystem } from '../shop.ts';

// A try may last twenty seconds, and with this time-out of webhooks SIGTERM lets a process end within less.
t.test('SIGTERM beside a mail server that hangs: the try is given up, and another repeats it', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'pix@localhost', WEBHOOK_TIMEOUT_MS: '1500' };
  const system = await openSystem(t, { dispatcher: false, env });
  const shop = await openShop(t, system);
  const person = { name: 'Ana', email: 'ana@example.com', role: 'operator' };
  await system.admin('/admin/accounts', { body: person });
  const payment = await shop.charge(10);
  await shop.pay(payment, { valor: '5.00' });
  await shop.untilStatus(payment, 'review');
  const ofReview = ({ subject }: { subject: string }) => /análise/.test(subject);
  const dispatchers = dispatcherProcesses(t, system);

  mail.behave({ at: 'data', does: 'hang' });
  const first = await dispatchers.start();
  const given = await mail.waitFor(ofReview);
  t.same(await first.kill('SIGTERM'), { code: 0, signal: null }, 'it ends in order');
  const { body } = await system.admin('/admin/notices?kind=review_waiting');
  t.match(body.items, [{ state: 'pending', attempts: 1, lastError: 'no response in time' }]);

  mail.behave();
  await dispatchers.start();
  const again = await mail.waitFor((one) => one !== given && ofReview(one));
  t.equal(again.messageId, given.messageId);
});
