import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { newId } from '@payments/domain/identifiers';
import { type MailServer, startMailServer } from '@payments/testing/mail-server';
import { pauseOn } from '@payments/testing/pause';
import { eventually, type SystemOptions } from '@payments/testing/system';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { openShop, openSystem, type Shop, testClock } from '../shop.ts';

// Notices as the dispatcher sends them: a real mail server, and the platform's webhook.
/** As by default: so long later facts are collected for the next mail. */
const collectSeconds = 300;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

async function scene(t: Test, { env = {}, ...options }: SystemOptions = {}) {
  const mail = await startMailServer();
  t.teardown(() => mail.close());
  const settings = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'Pix <pix@localhost>',
    ADMIN_URL: 'http://panel.example/',
  };
  const { now, advance } = testClock();
  const system = await openSystem(t, { now, ...options, env: { ...settings, ...env } });
  const shop = await openShop(t, system);
  /** Ends the pause after a failed try of a review's notice, once that is on record. */
  const endPause = async () => {
    await eventually('a failed try on record', async () => {
      const [notice] = await listed(shop, '?kind=review_waiting');
      return notice?.lastError ?? undefined;
    });
    advance(10);
  };
  return { mail, system, shop, advance, endPause };
}

async function addPerson({ system, store }: Shop, role: string): Promise<string> {
  const storeId = role.startsWith('store_') ? store.id : undefined;
  const body = { name: role, email: `${role}@example.com`, role, storeId };
  const { status } = await system.admin('/admin/accounts', { body });
  if (status !== 201) throw new Error(`the account was refused: ${status}`);
  return body.email;
}

/** A payment in review. */
async function review(shop: Shop) {
  const payment = await shop.charge(10);
  await shop.pay(payment, { valor: '5.00' });
  await shop.untilStatus(payment, 'review');
  return payment;
}

const ofReview = (to: string) => (mail: { to: string; subject: string }) =>
  mail.to === to && /análise/.test(mail.subject);

const listed = async ({ system }: Shop, query = '') => {
  const { body } = await system.admin(`/admin/notices${query}`);
  return body.items as {
    to: string;
    state: string;
    kind: string;
    attempts: number;
    lastError: string | null;
  }[];
};

/** The review's mails that arrived, when there are so many. */
const arrived = (mail: MailServer, count: number) =>
  eventually(`${count} mails`, async () => {
    const found = mail.received.filter(({ subject }) => /análise/.test(subject));
    return found.length >= count ? found : undefined;
  });

/** Resolves when no mail is on its way, so that the next fault is the review's. */
const untilQuiet = (shop: Shop) =>
  eventually('all mails to have left', async () => {
    return (await listed(shop, '?state=pending')).length === 0 || undefined;
  });

t.test(
  'a review reaches those who decide it, and nobody else; the payer’s words are in no mail',
  async (t) => {
    const { mail, shop } = await scene(t);
    for (const role of ['owner', 'operator', 'finance', 'viewer', 'store_admin', 'store_viewer'])
      await addPerson(shop, role);
    const payment = await shop.charge(10, { email: 'payer@example.com', observation: 'para a Zulmira' });
    await shop.pay(payment, { valor: '5.00' });
    for (const to of ['owner@example.com', 'operator@example.com', 'store_admin@example.com']) {
      const got = await mail.waitFor(ofReview(to));
      t.match(got.text, `http://panel.example/panel/payments/${payment.id}`);
      t.notMatch(got.text + got.html + got.subject, /payer@|Zulmira/);
    }
    const reviews = mail.received.filter(({ subject }) => /análise/.test(subject));
    t.equal(reviews.length, 3);
  },
);

t.test('a recipient that the server refuses has failed at once; others get theirs', async (t) => {
  const { mail, shop } = await scene(t);
  await addPerson(shop, 'operator');
  await addPerson(shop, 'store_admin');
  await untilQuiet(shop);
  mail.behave({ at: 'rcpt', does: 550, to: 'operator@example.com' });
  await review(shop);
  await mail.waitFor(ofReview('store_admin@example.com'));
  const [failed] = await eventually('the refusal on record', async () => {
    const failed = await listed(shop, '?kind=review_waiting&state=failed');
    return failed.length > 0 ? failed : undefined;
  });
  t.match(failed, { to: 'operator@example.com', attempts: 1, lastError: /550 5\.1\.1/ });
});

t.test('a server that hangs costs neither webhooks nor decisions anything', async (t) => {
  const { mail, shop } = await scene(t);
  await addPerson(shop, 'operator');
  await untilQuiet(shop);
  mail.steps.length = 0;
  mail.behave({ at: 'data', does: 'hang' });
  const stuck = await review(shop);
  await mail.reached('data');
  const payment = await shop.charge(10);
  await shop.pay(payment);
  await shop.untilWebhooks(payment, 2);
  await shop.decide(stuck, 'approved');
  await shop.untilStatus(stuck, 'approved');
  t.match(await listed(shop, '?kind=review_waiting'), [{ state: 'pending' }], 'its mail has not arrived');
  // Else the dispatcher waits for it before it stops.
  await mail.close();
});

t.test('a mail whose connection broke behind its body is repeated as the same mail', async (t) => {
  const { mail, shop, endPause } = await scene(t);
  await addPerson(shop, 'operator');
  await untilQuiet(shop);
  mail.behave({ at: 'data', does: 'cut' });
  await review(shop);
  await arrived(mail, 1);
  mail.behave();
  await endPause();
  const [first, second] = await arrived(mail, 2);
  t.equal(first?.messageId, second?.messageId);
  t.equal(first?.text, second?.text);
  await eventually('it is on record as sent', async () => {
    const [one] = await listed(shop, '?kind=review_waiting&state=sent');
    return one;
  });
  t.equal((await arrived(mail, 2)).length, 2);
});

t.test('what may have arrived is repeated in the same words, whatever was decided meanwhile', async (t) => {
  const { mail, system, shop, advance, endPause } = await scene(t);
  await addPerson(shop, 'operator');
  await review(shop);
  await arrived(mail, 1);
  const decided = await review(shop);
  await review(shop);
  await eventually('both in one mail', async () => {
    const brought = await system.db.selectFrom('mailNotices').selectAll().execute();
    const mails = Map.groupBy(brought, ({ mailId }) => mailId);
    return [...mails.values()].some((notices) => notices.length === 2) || undefined;
  });
  mail.behave({ at: 'data', does: 'cut' });
  advance(collectSeconds);
  await endPause();
  const [, first] = await arrived(mail, 2);
  t.match(first?.subject, /^2 pagamentos em análise/);
  await shop.decide(decided, 'approved');
  await shop.untilStatus(decided, 'approved');
  mail.behave();
  const again = (await arrived(mail, 3)).at(-1);
  t.equal(again?.messageId, first?.messageId);
  t.equal(again?.text, first?.text);
});

t.test('two dispatchers send each mail once', async (t) => {
  const { mail, system, shop } = await scene(t);
  const second = await system.startDispatcher();
  t.teardown(() => second.close());
  for (const role of ['owner', 'operator', 'store_admin']) await addPerson(shop, role);
  await review(shop);
  await eventually('all sent', async () => {
    const sent = await listed(shop, '?kind=review_waiting&state=sent');
    return sent.length === 3 || undefined;
  });
  t.equal(new Set(mail.received.map(({ messageId }) => messageId)).size, mail.received.length);
});

t.test('the platform’s webhook gets a signed post, again after an error', async (t) => {
  const posts: { headers: Record<string, string>; body: string }[] = [];
  let status = 500;
  const chat = createServer(async (request, response) => {
    posts.push({ headers: request.headers as Record<string, string>, body: await text(request) });
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  t.teardown(() => new Promise((resolve) => chat.close(resolve)));
  await new Promise((resolve) => chat.once('listening', resolve));
  const { port } = chat.address() as AddressInfo;
  const env = {
    NOTICES_URL: `http://127.0.0.1:${port}/hook`,
    NOTICES_SECRET: secret,
    WEBHOOK_ALLOW_PRIVATE: '',
  };
  const { shop, endPause } = await scene(t, { env: { ...env, WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' } });
  const payment = await review(shop);
  await eventually('a post', async () => posts.length > 0 || undefined);
  status = 204;
  await endPause();
  await eventually('another', async () => posts.length > 1 || undefined);
  const [first, second] = posts;
  t.equal(first?.headers['webhook-id'], second?.headers['webhook-id']);
  t.equal(first?.body, second?.body);
  const body = new Webhook(secret).verify(second!.body, second!.headers);
  t.match(body, {
    kind: 'review_waiting',
    text: /5,00/,
    url: `http://panel.example/panel/payments/${payment.id}`,
    paymentId: payment.id,
    storeId: shop.store.id,
  });
  t.ok(Date.parse((body as { occurredAt: string }).occurredAt));
  const [post] = await eventually('it is on record as sent', async () => {
    const sent = await listed(shop, '?state=sent');
    return sent.length > 0 ? sent : undefined;
  });
  t.match(post, { to: `127.0.0.1:${port}`, kind: 'review_waiting', attempts: 2 });
});

t.test(
  'an endpoint whose circuit opens is told to its store’s administrators, by its host alone',
  async (t) => {
    const { mail, shop } = await scene(t, { env: { WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1,1,1,1' } });
    await addPerson(shop, 'store_admin');
    await addPerson(shop, 'operator');
    const webhookUrl = 'http://127.0.0.1:1/hooks/secret-path?key=1';
    for (let made = 0; made < 12; made += 1) await shop.charge(10, { webhookUrl });
    const got = await mail.waitFor(
      ({ to, subject }) => to === 'store_admin@example.com' && /webhooks/.test(subject),
    );
    t.match(got.subject, /127\.0\.0\.1:1/);
    t.notMatch(got.text, /secret-path/);
  },
);

t.test('a look at conditions that comes to no end holds up no other notice', async (t) => {
  const { mail, system, shop } = await scene(t);
  await addPerson(shop, 'operator');
  const pause = await pauseOn(
    system.env.DATABASE_URL!,
    'before insert on notices',
    "new.kind = 'endpoint_failing'",
  );
  const now = new Date();
  const endpoint = { id: newId(), storeId: shop.store.id, url: 'https://shop.example/', failures: 9 };
  await system.db
    .insertInto('failingEndpoints')
    .values({ ...endpoint, openings: 1, failingSince: now, openUntil: now })
    .execute();
  await pause.reached();
  await review(shop);
  await mail.waitFor(ofReview('operator@example.com'));
  await pause.end();
  await eventually('the other notice', async () => {
    const notices = await system.db.selectFrom('notices').select('kind').execute();
    return notices.some(({ kind }) => kind === 'endpoint_failing') || undefined;
  });
});

t.test('a bank that fails is told to who operates, once for as long as it lasts', async (t) => {
  const { mail, system, shop } = await scene(t);
  for (const role of ['owner', 'operator', 'finance', 'store_admin']) await addPerson(shop, role);
  await system.bank('/bank/faults', { status: 503 });
  const seenUntil = async (earlier: Date) => {
    await shop.charge(10);
    const { failingUntil } = await system.db.selectFrom('banks').selectAll().executeTakeFirstOrThrow();
    return failingUntil !== null && failingUntil > earlier ? failingUntil : undefined;
  };
  const first = await eventually('the bank to fail', () => seenUntil(new Date(0)));
  const ofBank = ({ subject }: { subject: string }) => /^O banco \S+ está com falhas$/.test(subject);
  for (const role of ['owner', 'operator']) {
    const got = await mail.waitFor((one) => ofBank(one) && one.to === `${role}@example.com`);
    t.match(got.text, 'http://panel.example/panel/banks');
  }
  await eventually('the bank to fail on', () => seenUntil(first));
  t.equal(mail.received.filter(ofBank).length, 2, 'nobody else, and nobody twice');
  const notices = await system.db.selectFrom('notices').select('facts').execute();
  t.equal(notices.length, 1, 'it is one fact');
});
