import { startMailServer } from '@payments/testing/mail-server';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openSql } from '../deliveries/sql.ts';
import { dispatcherProcesses } from '../dispatcher-processes.ts';
import { openShop, openSystem } from '../shop.ts';

// A dispatcher is killed between the commit of a fact, the mail and its record.
t.test('a review is told, whatever is killed; what may have left is repeated as the same mail', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'pix@localhost', NOTICES_COLLECT_SECONDS: '1' };
  const system = await openSystem(t, { dispatcher: false, env });
  const shop = await openShop(t, system);
  const person = { name: 'Ana', email: 'ana@example.com', role: 'operator' };
  await system.admin('/admin/accounts', { body: person });
  const review = async () => {
    const payment = await shop.charge(10);
    await shop.pay(payment, { valor: '5.00' });
    await shop.untilStatus(payment, 'review');
    return payment;
  };
  const ofReview = () => mail.received.filter(({ subject }) => /análise/.test(subject));
  const sent = (count: number) =>
    eventually(`${count} mails on record`, async () => {
      const { body } = await system.admin('/admin/notices?kind=review_waiting&state=sent');
      return body.total === count || undefined;
    });
  const dispatchers = dispatcherProcesses(t, system);
  const sql = openSql(t, system.env.DATABASE_URL!);
  /** Ends the lease of a killed dispatcher's try, which is a minute. */
  const endLease = () => sql("update mails set next_attempt_at = now() where state = 'pending'");

  await t.test('between the commit and the mail', async (t) => {
    const first = await review();
    t.same(ofReview(), [], 'the API committed the fact, and no dispatcher runs');
    mail.behave({ at: 'connect', does: 'hang' });
    await dispatchers.start();
    await mail.reached('connect');
    await dispatchers.killOldest();
    mail.behave();
    await endLease();
    await dispatchers.start();
    await sent(1);
    t.match(ofReview(), [{ to: person.email }]);
    t.match(ofReview()[0]?.text, first.id);
  });

  await t.test('between the mail and its record', async (t) => {
    mail.behave({ at: 'data', does: 'hang' });
    await review();
    await eventually('the mail to arrive', async () => ofReview().length === 2 || undefined);
    await dispatchers.killOldest();
    mail.behave();
    await endLease();
    await dispatchers.start();
    await sent(2);
    const [, lost, again] = ofReview();
    t.equal(ofReview().length, 3);
    t.equal(lost?.messageId, again?.messageId);
    t.equal(lost?.text, again?.text);
  });
});
