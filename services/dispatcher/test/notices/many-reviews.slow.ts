import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startMailServer } from '@payments/testing/mail-server';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openSql, type Sql } from '../deliveries/sql.ts';
import { dispatcherProcesses } from '../dispatcher-processes.ts';
import { openShop, openSystem } from '../shop.ts';

const reviews = 10_000;

/** Puts many payments in review, each with its fact in the same commit, as copies of one that the bank brought there. */
async function putInReview(sql: Sql, payment: { id: string }, count: number): Promise<void> {
  await sql(
    `with copies as (
      insert into payments (id, store_id, status, charged, amount, is_public, bank, charge_state, registered_at, expires_at,
        expiry_check_at, review_since, received, events, moves, created_at)
      select gen_random_uuid(), store_id, status, charged, amount, is_public, bank, charge_state, registered_at, expires_at,
        expiry_check_at, review_since, received, events, moves, created_at
      from payments, generate_series(1, $2) where id = $1
      returning id
    )
    insert into notices (id, kind, key, store_id, facts, occurred_at)
    select gen_random_uuid(), n.kind, c.id::text, n.store_id,
      n.facts::jsonb || jsonb_build_object('paymentId', c.id::text), n.occurred_at
    from copies c, notices n where n.facts ->> 'paymentId' = $1::text`,
    [payment.id, count],
  );
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
/** @returns how many reviews a mail tells of */
const countOf = (subject: string) => Number(/^([\d.]+) pagamentos/.exec(subject)?.[1]?.replace('.', '') ?? 1);

t.test('ten thousand reviews at once are two mails for each person, and two posts', async (t) => {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const posted: number[] = [];
  const chat = createServer(async (request, response) => {
    posted.push(JSON.parse(await text(request)).count ?? 1);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(chat, 'listening');
  t.teardown(() => new Promise((resolve) => chat.close(resolve)));
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'pix@localhost',
    NOTICES_URL: `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`,
    NOTICES_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    // An hour, so that a slow machine shares all before it is over. The test ends it by hand.
    NOTICES_COLLECT_SECONDS: '3600',
    REVIEW_TIMEOUT_SECONDS: '36000',
  };
  const system = await openSystem(t, { dispatcher: false, env });
  const shop = await openShop(t, system);
  const people = ['owner', 'operator', 'store_admin'].map((role) => ({ role, email: `${role}@example.com` }));
  for (const { role, email } of people) {
    const storeId = role === 'store_admin' ? shop.store.id : undefined;
    await system.admin('/admin/accounts', { body: { name: role, email, role, storeId } });
  }
  const payment = await shop.charge(10);
  await shop.pay(payment, { valor: '5.00' });
  await shop.untilStatus(payment, 'review');
  const sql = openSql(t, system.env.DATABASE_URL!);
  await putInReview(sql, payment, reviews - 1);

  const dispatchers = dispatcherProcesses(t, system);
  await Promise.all([dispatchers.start(), dispatchers.start()]);
  const left = () => system.admin('/admin/notices?kind=review_waiting&state=sent');
  await eventually('the first mails, and all others collected', async () => {
    const [waiting] = await sql('select count(*)::int as count from notices where shared_at is null');
    return (waiting?.count === 0 && (await left()).body.total === people.length + 1) || undefined;
  });
  await sql("update mails set next_attempt_at = now() where state = 'pending'");
  await eventually('the second mails', async () => {
    const [waiting] = await sql("select count(*)::int as count from mails where state = 'pending'");
    return waiting?.count === 0 || undefined;
  });

  for (const { email } of people) {
    const got = mail.received.filter(({ to, subject }) => to === email && /em análise/.test(subject));
    t.equal(got.length, 2, `${email} has two`);
    const told = got.map(({ subject }) => countOf(subject));
    t.equal(sum(told), reviews, `${told.join(' and ')} reviews`);
  }
  t.equal(posted.length, 2);
  t.equal(sum(posted), reviews, `${posted.join(' and ')} reviews`);
});
