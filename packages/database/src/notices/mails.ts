import type { Collected, MailKind, Notice, NoticeKind } from '@payments/notices/kinds';
import type { SendError } from '@payments/notices/sending';
import { type RawBuilder, sql } from 'kysely';
import { endOf, isFreeOf, type Lease } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { given, type Page, type Paged, readPage } from '../filters.ts';
import type { MailState, Selected } from '../schema.ts';
import type { KindFilter } from '../stores/kinds.ts';
import { inTransaction } from '../transaction.ts';

const claimedColumns = [
  'id',
  'kind',
  'accountId',
  'recipient',
  'facts',
  'link',
  'attempts',
  'fixed',
  'createdAt',
] as const;

/** A mail that this process may try to send. `attempts` counts this try. */
export type ClaimedMail = Selected<'mails', typeof claimedColumns>;

/**
 * Claims one due mail of each person. The lease is `next_attempt_at`; from now on nothing is added to it.
 * @param after the person after whom to go on, by id. So everybody has a turn, however many mails wait for one person
 */
export async function claimMails(
  db: Queryable,
  { after, ...lease }: Lease & { after: string | null },
): Promise<ClaimedMail[]> {
  const due = sql`
    with recursive person as (
      select ${nextPerson(sql`${after ?? firstUuid}::uuid`)} as id
      union all
      select ${nextPerson(sql`person.id`)} from person where person.id is not null
    )
    select mail.ctid from person cross join lateral (
      select ctid from mails where account_id = person.id and next_attempt_at <= ${lease.now}
      order by next_attempt_at limit 1 for update skip locked
    ) mail limit ${lease.limit}`;
  return claim(db, lease, sql`ctid = any(array(${due}))`);
}

/** Claims posts to the platform's webhook, first due first; see {@link claimMails}. */
export async function claimPosts(db: Queryable, lease: Lease): Promise<ClaimedMail[]> {
  const posts = db.selectFrom('mails').where('accountId', 'is', null);
  const due = posts.where('nextAttemptAt', '<=', lease.now).limit(lease.limit);
  return claim(db, lease, isFreeOf(due.orderBy('accountId').orderBy('nextAttemptAt')));
}

function claim(db: Queryable, lease: Lease, isClaimed: RawBuilder<boolean>): Promise<ClaimedMail[]> {
  return db
    .updateTable('mails')
    .set((eb) => ({ nextAttemptAt: endOf(lease), attempts: eb('attempts', '+', 1), closed: true }))
    .where(isClaimed)
    .returning(claimedColumns)
    .execute();
}

// Only the index of what is to send has the order of these two columns, here and in the claim of posts. Another one has also
// what has ended, or what is somebody else's.
const nextPerson = (after: RawBuilder<unknown>) => sql`(
  select account_id from mails where next_attempt_at is not null and account_id > ${after}
  order by account_id, next_attempt_at limit 1)`;

const firstUuid = '00000000-0000-0000-0000-000000000000';

/** SQL: whether a notice `n` still waits for somebody. What a person or time has settled need not be told. */
const isWaiting: Record<NoticeKind, RawBuilder<boolean>> = {
  review_waiting: sql`exists (select from payments p
    where p.id = (n.facts ->> 'paymentId')::uuid and p.status = 'review' and p.review_timed_out_at is null)`,
  refund_owed: sql`exists (select from refunds r
    where r.end_to_end_id = n.facts ->> 'endToEndId' and r.id = n.facts ->> 'refundId' and r.owed is not null)`,
  returned_by_bank: sql`exists (select from refunds r
    where r.end_to_end_id = n.facts ->> 'endToEndId' and r.id = n.facts ->> 'refundId' and r.state <> 'failed')`,
  unmatched_pix: sql`(
    exists (select from pix_received x where x.end_to_end_id = n.facts ->> 'endToEndId' and x.unmatched <> 'returned')
    and not exists (select from refunds r
      where r.end_to_end_id = n.facts ->> 'endToEndId' and r.origin = 'service' and r.state <> 'failed'))`,
  endpoint_failing: sql`exists (select from failing_endpoints f
    where f.id = (n.facts ->> 'endpointId')::uuid and f.open_until is not null)`,
  bank_failing: sql`exists (select from banks b where b.id = n.facts ->> 'bank' and b.failing_until > now())`,
  reconciliation_differs: sql`exists (select from reconciliations d
    where d.bank = n.facts ->> 'bank' and d.day = n.facts ->> 'date' and d.differences > 0)`,
  certificate_expires: sql`true`,
};

/** The most notices that one mail names; it says how many more there are. */
const namedAtMost = 20;

/** The claim of a try. What another process claimed since, or somebody erased, is left as it is. */
type Claimed = Pick<ClaimedMail, 'id' | 'attempts'>;

const isStill = ({ id, attempts }: Claimed) => ({ id, attempts, state: 'pending' as const });

/**
 * Takes out what need not be told any more, and fixes the rest: from now on a try may arrive, and a repeat under the same
 * id must say the same. Mail programs and receivers of webhooks pass over one of two with the same id.
 * @returns false if another process has claimed it since
 */
async function fixWords(db: Queryable, mail: Claimed, kind: NoticeKind): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const fixed = trx.updateTable('mails').set({ fixed: true });
    const { numUpdatedRows } = await fixed.where(({ and }) => and(isStill(mail))).executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    // `is not true` asks once per notice. `not exists` may become a join that compares each notice with each payment.
    await sql`
      delete from mail_notices using notices n
      where mail_id = ${mail.id} and n.id = notice_id and (${isWaiting[kind]}) is not true`.execute(trx);
    return true;
  });
}

/**
 * @param storeId the notices of this store alone; null for those of all stores
 * @returns what a mail brings: its notices that still wait, or all of them where an earlier try may have arrived; undefined
 *   if none waits
 */
export async function readCollected(
  db: Queryable,
  mail: Claimed & Pick<ClaimedMail, 'fixed'> & { kind: NoticeKind },
  storeId: string | null,
): Promise<Collected | undefined> {
  const { id, kind } = mail;
  if (!mail.fixed && !(await fixWords(db, mail, kind))) return undefined;
  const ofStore = storeId === null ? sql`true` : sql`n.store_id = ${storeId}`;
  const { rows } = await sql<Notice & { total: number; waits: boolean }>`
    select n.kind, n.key, n.store_id, n.facts, n.occurred_at,
      count(*) over ()::int as total, bool_or(${isWaiting[kind]}) over () as waits
    from mail_notices join notices n on n.id = notice_id
    where mail_id = ${id} and ${ofStore}
    order by n.id limit ${namedAtMost}`.execute(db);
  const [first] = rows;
  if (!first?.waits) return undefined;
  const notices = rows.map(({ total: _, waits: __, ...notice }) => notice as Notice);
  return { kind, total: first.total, notices };
}

/** Records that a mail has left, or never will. */
export async function endMail(
  db: Queryable,
  mail: Claimed,
  end:
    | { state: 'sent'; subject: string; now: Date }
    | { state: 'failed'; subject: string | null; error: SendError },
): Promise<void> {
  const { state, subject } = end;
  const ended = state === 'sent' ? { sentAt: end.now, lastError: null } : { lastError: end.error };
  await inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('mails')
      .set({ state, nextAttemptAt: null, link: null, ...(subject !== null && { subject }), ...ended })
      .where(({ and }) => and(isStill(mail)))
      .executeTakeFirst();
    if (numUpdatedRows === 1n) await trx.deleteFrom('mailNotices').where('mailId', '=', mail.id).execute();
  });
}

/**
 * Puts a mail off that did not leave.
 * @param collects true if no try so far can have arrived, so that its text may change. Nothing is added to it if another
 *   mail collects by now
 */
export async function postponeMail(
  db: Queryable,
  mail: Claimed & Pick<ClaimedMail, 'accountId' | 'kind'>,
  { nextAttemptAt, error, subject, collects }: Postponed,
): Promise<void> {
  const { accountId, kind } = mail;
  const another = sql<boolean>`exists (select from mails other
    where other.account_id is not distinct from ${accountId}::uuid and other.kind = ${kind} and not other.closed)`;
  await db
    .updateTable('mails')
    .set({ nextAttemptAt, lastError: error, subject, closed: collects ? another : true, fixed: !collects })
    .where(({ and }) => and(isStill(mail)))
    .execute();
}

export type Postponed = { nextAttemptAt: Date; error: SendError; subject: string; collects: boolean };

/** Removes a mail of which nothing is left to tell, or whose person is to get none any more. */
export async function dropMail(db: Queryable, mail: Claimed): Promise<void> {
  await db
    .deleteFrom('mails')
    .where(({ and }) => and(isStill(mail)))
    .execute();
}

const listedColumns = [
  'id',
  'kind',
  'recipient as to',
  'subject',
  'state',
  'attempts',
  'lastError',
  'createdAt',
  'sentAt',
] as const;

/** A mail as administrators see it. */
export type ListedMail = Selected<'mails', typeof listedColumns>;

/** A mail counts as a test store's if its recipient belongs to one: test payments cause no mails. */
export type MailFilter = KindFilter & { kind?: MailKind | undefined; state?: MailState | undefined };

const isToTests = (test: boolean | undefined) =>
  test === undefined
    ? sql<boolean>`true`
    : sql<boolean>`(exists (select from accounts join stores on stores.id = accounts.store_id
        where accounts.id = mails.account_id and stores.test) = ${test})`;

/** @returns one page of mails, newest first, and the total of all pages */
export async function listMails(
  db: Queryable,
  { kind, state, test }: MailFilter,
  page: Page,
): Promise<Paged<ListedMail>> {
  const found = db
    .selectFrom('mails')
    .select(listedColumns)
    .where(({ and }) => and(given({ kind, state })))
    .where(isToTests(test))
    .orderBy('id', 'desc');
  return readPage(found, page);
}

/** @returns the mails to a person's address, in any case, newest first */
export async function listMailsTo(db: Queryable, email: string): Promise<ListedMail[]> {
  return db.selectFrom('mails').select(listedColumns).where(isTo(email)).orderBy('id', 'desc').execute();
}

/** Erases a person's address, with the mails that went there, or would (Contract: personal data). */
export async function eraseMailsTo(trx: Queryable, email: string): Promise<void> {
  await trx.deleteFrom('mails').where(isTo(email)).execute();
}

// The platform's webhook has a host in the place of an address.
const isTo = (email: string) => sql<boolean>`lower(recipient) = lower(${email})`;
