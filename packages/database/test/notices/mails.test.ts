import { newId } from '@payments/domain/identifiers';
import { isStoreRole, type Role, roles } from '@payments/domain/roles';
import {
  isToldOf,
  type Notice,
  type NoticeFacts,
  type NoticeKind,
  noticeKinds,
} from '@payments/notices/kinds';
import { pauseOn } from '@payments/testing/pause';
import t, { type Test } from 'tap';
import { insertAccount, updateAccountFields } from '../../src/accounts/accounts.ts';
import type { Queryable } from '../../src/connection.ts';
import {
  type ClaimedMail,
  claimMails,
  claimPosts,
  dropMail,
  endMail,
  eraseMailsTo,
  listMails,
  postponeMail,
  readCollected,
} from '../../src/notices/mails.ts';
import { writeNotices, writePersonalMail } from '../../src/notices/notices.ts';
import { endOverdueMails, removeOldNotices } from '../../src/notices/retention.ts';
import { shareNotices } from '../../src/notices/share.ts';
import { addPayment, addStore, move, openDatabase } from '../rows.ts';

// Notices and the mails that bring them, by a clock that the tests move.
const minuteMs = 60_000;
const start = new Date('2026-11-23T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const page = { page: 1, limit: 200 };
const collecting = { limit: 500, collectMs: 5 * minuteMs, toPeople: true, toWebhook: null };
const claiming = { limit: 100, leaseMs: minuteMs };
const of = (mail: ClaimedMail) => ({ ...mail, kind: 'review_waiting' as const });
const away = { code: 'unreachable' as const };

async function addPerson(db: Queryable, role: Role, storeId: string | null = null) {
  const id = newId();
  const invitation = { invitationHash: Buffer.from(id), invitationUntil: start };
  await insertAccount(db, {
    id,
    name: role,
    email: `${role}-${id}@example.com`,
    role,
    storeId,
    createdAt: start,
    ...invitation,
  });
  return id;
}

const share = (db: Queryable, now: Date, options = {}) =>
  shareNotices(db, { ...collecting, now: () => now, ...options });
const removeOld = (db: Queryable, before: Date) =>
  removeOldNotices(db, { before, comparedSince: '2026-11-16', limit: 10 });
const claim = (db: Queryable, now: Date) => claimMails(db, { ...claiming, after: null, now });

/** Puts as many payments in review, and tells of them. */
async function reviews(db: Queryable, storeId: string, count: number, occurredAt = start) {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const paymentId = await addPayment(db, storeId);
    await move(db, paymentId, 'review');
    ids.push(paymentId);
  }
  await writeNotices(
    db,
    ids.map((paymentId): Notice => {
      const facts = { paymentId, amount: 500, reason: 'amount_differs' as const };
      return { kind: 'review_waiting', key: paymentId, storeId, occurredAt, facts };
    }),
  );
  return ids;
}

async function open(t: Test) {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  return { db, url, storeId };
}

const certificate = (key: string): Notice => ({
  kind: 'certificate_expires',
  key,
  storeId: null,
  occurredAt: start,
  facts: { bank: key, date: '2026-12-01' },
});

t.test('each role gets mails of its kinds, a store’s people of their store’s alone', async (t) => {
  const { db, storeId } = await open(t);
  const other = await addStore(db);
  const people = [];
  for (const role of roles) {
    const own = isStoreRole(role) ? storeId : null;
    people.push({ id: await addPerson(db, role, own), role, storeId: own, active: true, notices: null });
    if (own)
      people.push({
        id: await addPerson(db, role, other),
        role,
        storeId: other,
        active: true,
        notices: null,
      });
  }
  const facts = {} as NoticeFacts[NoticeKind];
  const told = noticeKinds.map((kind) => ({ kind, key: 'one', storeId, occurredAt: start, facts }));
  await writeNotices(db, told as Notice[]);
  await share(db, start);
  const mails = await db.selectFrom('mails').select(['accountId', 'kind']).execute();
  const found = mails.map(({ accountId, kind }) => `${accountId} ${kind}`).sort();
  const wanted = people.flatMap((person) =>
    noticeKinds.filter((kind) => isToldOf(person, { kind, storeId })).map((kind) => `${person.id} ${kind}`),
  );
  t.same(found, wanted.sort());
  t.equal(await share(db, start), 0, 'once');
});

t.test('the first at once, the others together five minutes later', async (t) => {
  const { db, storeId } = await open(t);
  await addPerson(db, 'operator');
  await reviews(db, storeId, 2);
  await share(db, start);
  const [first] = await claim(db, start);
  t.match(await readCollected(db, of(first!), null), { total: 2 });
  await endMail(db, first!, { state: 'sent', subject: 'dois', now: start });

  for (const minute of [1, 2, 4]) {
    await reviews(db, storeId, 1);
    await share(db, after(minute * minuteMs));
    t.same(await claim(db, after(minute * minuteMs)), [], `minute ${minute}`);
  }
  const [second] = await claim(db, after(5 * minuteMs));
  t.match(await readCollected(db, of(second!), null), { total: 3 });
  await endMail(db, second!, { state: 'sent', subject: 'três', now: after(5 * minuteMs) });

  await reviews(db, storeId, 1);
  await share(db, after(60 * minuteMs));
  t.equal((await claim(db, after(60 * minuteMs))).length, 1, 'at once again after a quiet hour');
});

t.test('ten thousand reviews at once are two mails for each person', async (t) => {
  const { db, storeId } = await open(t);
  await Promise.all(['operator', 'operator', 'owner'].map((role) => addPerson(db, role as Role)));
  await addPerson(db, 'store_admin', storeId);
  const [paymentId] = await reviews(db, storeId, 1);
  const many = Array.from({ length: 10_000 }, (_, index): Notice => {
    const facts = { paymentId: paymentId!, amount: 500, reason: 'late' as const };
    return { kind: 'review_waiting', key: `${index}`, storeId, occurredAt: start, facts };
  });
  while (many.length > 0) await writeNotices(db, many.splice(0, 1_000));
  await share(db, start);
  const firsts = await claim(db, start);
  while ((await share(db, after(1_000))) > 0);
  t.same(await claim(db, after(minuteMs - 1)), []);
  for (const mail of firsts) await endMail(db, mail, { state: 'sent', subject: 'muitos', now: after(1_000) });
  const seconds = await claim(db, after(6 * minuteMs));
  t.same([firsts.length, seconds.length], [4, 4]);
  const collected = await readCollected(db, of(seconds[0]!), null);
  t.match(
    [collected?.total, collected?.notices.length],
    [9_501, 20],
    'one names the first, and says how many',
  );
});

t.test(
  'dispatchers that share and claim at once: each notice in one mail, each mail claimed once',
  async (t) => {
    const { db, storeId } = await open(t);
    for (const role of roles) await addPerson(db, role, isStoreRole(role) ? storeId : null);
    await reviews(db, storeId, 40);
    await writeNotices(db, ['a', 'b', 'c'].map(certificate));
    await Promise.all(Array.from({ length: 8 }, () => share(db, start, { limit: 5 })));
    while ((await share(db, start, { limit: 5 })) > 0);
    const mails = await db.selectFrom('mails').select('id').execute();
    const brought = await db.selectFrom('mailNotices').select('mailId').execute();
    // Owner, operator and the store's administrator of the reviews, the first two of the certificates.
    t.same([mails.length, brought.length], [5, 40 * 3 + 3 * 2]);
    const claimed = await Promise.all(
      Array.from({ length: 6 }, () => claimMails(db, { ...claiming, after: null, limit: 2, now: start })),
    );
    const ids = claimed.flat().map(({ id }) => id);
    t.equal(new Set(ids).size, ids.length);
  },
);

t.test('a mail that leaves while the next fact is shared: the next mail waits', async (t) => {
  const { db, url, storeId } = await open(t);
  await addPerson(db, 'operator');
  await reviews(db, storeId, 1);
  await share(db, start);
  await reviews(db, storeId, 1);
  const pause = await pauseOn(url, 'before insert on mails');
  const sharing = share(db, after(1_000));
  await pause.reached();
  const [first] = await claim(db, after(1_000));
  await endMail(db, first!, { state: 'sent', subject: 'um', now: after(1_000) });
  await pause.end();
  await sharing;
  t.same(await claim(db, after(5 * minuteMs)), []);
  t.equal((await claim(db, after(5 * minuteMs + 1_000))).length, 1);
});

t.test('one dispatcher shares at a time: a mail that it makes is seen by the next', async (t) => {
  const { db, url, storeId } = await open(t);
  await addPerson(db, 'operator');
  await reviews(db, storeId, 1);
  const pause = await pauseOn(url, 'before insert on mails', "new.kind = 'review_waiting'");
  const one = share(db, start);
  await pause.reached();
  await writeNotices(db, [certificate('a')]);
  const other = share(db, start);
  await pause.waiters(2);
  await pause.end();
  t.same(await Promise.all([one, other]), [1, 1]);
});

t.test('what was settled before it left is not told', async (t) => {
  const { db, storeId } = await open(t);
  const id = await addPerson(db, 'operator');
  const [decided, waiting] = await reviews(db, storeId, 2);
  await share(db, start);
  await move(db, decided!, 'approved');
  const [mail] = await claim(db, start);
  const read = () => readCollected(db, of(mail!), null);
  t.match(await read(), { total: 1, notices: [{ facts: { paymentId: waiting } }] });
  await move(db, waiting!, 'approved');
  t.equal(await read(), undefined);
  await dropMail(db, mail!);
  t.same((await listMails(db, {}, page)).items, []);

  await reviews(db, storeId, 1);
  await share(db, after(1_000));
  t.match(await claim(db, after(1_000)), [{ accountId: id }], 'a dropped mail makes none wait');
});

t.test('more is added until the text may have left', async (t) => {
  const { db, storeId } = await open(t);
  await addPerson(db, 'operator');
  const total = async (id: string) =>
    (await db.selectFrom('mailNotices').selectAll().where('mailId', '=', id).execute()).length;
  await reviews(db, storeId, 1);
  await share(db, start);
  const [mail] = await claim(db, start);
  const put = { error: away, subject: 'um' };
  await postponeMail(db, mail!, { ...put, nextAttemptAt: after(1_000), collects: true });
  await reviews(db, storeId, 1);
  await share(db, after(500));
  t.equal(await total(mail!.id), 2, 'the server was away: they come together');

  const [again] = await claim(db, after(1_000));
  t.match(again, { id: mail!.id, attempts: 2 });
  await postponeMail(db, again!, { ...put, nextAttemptAt: after(2_000), collects: false });
  await reviews(db, storeId, 1);
  await share(db, after(1_500));
  t.equal(await total(mail!.id), 2, 'it may have arrived: another mail brings the rest');
  t.equal((await listMails(db, {}, page)).total, 2);

  const [third] = await claim(db, after(2_000));
  await postponeMail(db, third!, { ...put, nextAttemptAt: after(3_000), collects: true });
  await reviews(db, storeId, 1);
  await share(db, after(2_500));
  t.equal((await listMails(db, {}, page)).total, 2, 'one mail collects at a time');
});

t.test('what may have arrived is repeated in the same words, until nothing of it waits', async (t) => {
  const { db, storeId } = await open(t);
  await addPerson(db, 'operator');
  const [decided, one, two] = await reviews(db, storeId, 3);
  await share(db, start);
  const read = async (mail: ClaimedMail) => (await readCollected(db, of(mail), null))?.total;
  const put = { error: away, subject: 'dois' };
  const [first] = await claim(db, start);
  t.equal(await read(first!), 3);
  await postponeMail(db, first!, { ...put, nextAttemptAt: after(1_000), collects: true });

  await move(db, decided!, 'approved');
  const [second] = await claim(db, after(1_000));
  t.equal(await read(second!), 2, 'it had not arrived');
  await move(db, one!, 'approved');
  // The process dies.
  const [third] = await claim(db, after(2 * minuteMs));
  t.match(third, { id: first!.id, fixed: true });
  t.equal(await read(third!), 2, 'the same words');
  t.equal(await read(second!), undefined, 'whose claim is over says nothing');
  await postponeMail(db, third!, { ...put, nextAttemptAt: after(3 * minuteMs), collects: false });
  const [fourth] = await claim(db, after(3 * minuteMs));
  t.equal(await read(fourth!), 2);
  await move(db, two!, 'approved');
  t.equal(await read(fourth!), undefined);
});

t.test('a record counts only for the claim that it is of', async (t) => {
  const { db } = await open(t);
  await addPerson(db, 'operator');
  await writeNotices(db, [certificate('a')]);
  await share(db, start);
  const [first] = await claim(db, start);
  const [second] = await claim(db, after(minuteMs));
  t.equal(second?.id, first?.id, 'the lease ended');
  await postponeMail(db, first!, { nextAttemptAt: after(0), error: away, subject: 'a', collects: true });
  await dropMail(db, first!);
  t.match((await listMails(db, {}, page)).items, [{ state: 'pending', attempts: 2, lastError: null }]);
  await endMail(db, second!, { state: 'sent', subject: 'a', now: after(minuteMs) });
  await endMail(db, second!, { state: 'failed', subject: 'a', error: away });
  t.match((await listMails(db, { state: 'sent' }, page)).items, [
    { sentAt: after(minuteMs), lastError: null },
  ]);
  t.same(await db.selectFrom('mailNotices').selectAll().execute(), []);
});

t.test('the platform’s webhook gets every kind, and collects by itself', async (t) => {
  const { db, storeId } = await open(t);
  await reviews(db, storeId, 3);
  const options = { toPeople: false, toWebhook: 'chat.example' };
  await share(db, start, options);
  await writeNotices(db, [certificate('a')]);
  await share(db, start, options);
  const posts = await claimPosts(db, { ...claiming, now: start });
  t.same(posts.map(({ kind, recipient }) => `${kind} ${recipient}`).sort(), [
    'certificate_expires chat.example',
    'review_waiting chat.example',
  ]);
  t.same(await claim(db, start), []);
});

t.test('without mail and webhook nothing is kept to be sent', async (t) => {
  const { db } = await open(t);
  await addPerson(db, 'operator');
  await writeNotices(db, [certificate('a')]);
  t.equal(await share(db, start, { toPeople: false }), 1);
  t.equal((await listMails(db, {}, page)).total, 0);
  t.equal(await removeOld(db, after(1)), 1);
});

t.test('a mail to the person concerned: its link is gone once it has ended', async (t) => {
  const { db } = await open(t);
  const accountId = await addPerson(db, 'viewer');
  const facts = { name: 'Ana', until: after(minuteMs).toISOString() };
  const write = async (to: string) => {
    const id = newId();
    await writePersonalMail(db, { id, kind: 'invitation', accountId, to, facts, link: 'sealed', now: start });
    return id;
  };
  const ids = [await write('ana@example.com'), await write('Ana@Example.com'), await write('b@example.com')];
  const [first] = await claim(db, start);
  t.match(first, { kind: 'invitation', link: 'sealed', facts });
  await endMail(db, first!, { state: 'sent', subject: 'Convite', now: start });
  t.equal(await endOverdueMails(db, { before: after(1), limit: 10 }), 2);
  const mails = await db
    .selectFrom('mails')
    .select(['id', 'state', 'link', 'lastError'])
    .orderBy('id')
    .execute();
  t.match(
    mails,
    ids.map((id) => ({ id, state: id === first!.id ? 'sent' : 'failed', link: null })),
  );
  await eraseMailsTo(db, 'ANA@example.com');
  t.match((await listMails(db, {}, page)).items, [{ to: 'b@example.com', lastError: { code: 'too_late' } }]);
  t.equal(await removeOld(db, start), 0);
  t.equal(await removeOld(db, after(1)), 1);
});

t.test('mails to the people of test stores are listed apart', async (t) => {
  const { db, storeId } = await open(t);
  const testStoreId = await addStore(db);
  await db.updateTable('stores').set({ test: true }).where('id', '=', testStoreId).execute();
  for (const [to, store] of [
    ['owner', null],
    ['real', storeId],
    ['test', testStoreId],
  ] as const) {
    const accountId = await addPerson(db, store === null ? 'owner' : 'store_admin', store);
    const facts = { name: to, until: after(minuteMs).toISOString() };
    await writePersonalMail(db, {
      id: newId(),
      kind: 'invitation',
      accountId,
      to,
      facts,
      link: null,
      now: start,
    });
  }
  const listed = async (filter: object) =>
    (await listMails(db, filter, page)).items.map(({ to }) => to).sort();
  t.same(await listed({ test: false }), ['owner', 'real']);
  t.same(await listed({ test: true }), ['test']);
  t.same(await listed({}), ['owner', 'real', 'test']);
});

t.test('who chose otherwise, or is gone, is told nothing', async (t) => {
  const { db } = await open(t);
  const [silent, gone, curious] = [
    await addPerson(db, 'operator'),
    await addPerson(db, 'operator'),
    await addPerson(db, 'viewer'),
  ];
  await updateAccountFields(db, silent, { notices: [] });
  await updateAccountFields(db, gone, { active: false });
  await updateAccountFields(db, curious, { notices: ['certificate_expires'] });
  await writeNotices(db, [certificate('a')]);
  await share(db, start);
  t.match(await claim(db, start), [{ accountId: curious }]);
});
