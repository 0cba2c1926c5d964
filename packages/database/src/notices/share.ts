import { newId } from '@payments/domain/identifiers';
import { testBank } from '@payments/domain/route-charge';
import { isToldOf, type NoticeKind } from '@payments/notices/kinds';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import { inTransaction } from '../transaction.ts';

export type Sharing = {
  limit: number;
  now: () => Date;
  /** For so long after a mail, more of its kind for the same person wait, to come together. */
  collectMs: number;
  /** Whether mail leaves at all. */
  toPeople: boolean;
  /** The host of the platform's webhook; null without one. */
  toWebhook: string | null;
};

/** Notices of one kind for one recipient. */
type Group = { accountId: string | null; recipient: string; kind: NoticeKind; noticeIds: string[] };

type Unshared = { id: string; kind: NoticeKind; storeId: string | null; isTest: boolean };

/** Nobody is told of what is a test store's, or the test bank's (Contract: test stores). */
const isTest = sql<boolean>`coalesce(
  store_id in (select id from stores where test) or facts ->> 'bank' = ${testBank} or exists (
    select from pix_received where end_to_end_id = facts ->> 'endToEndId' and bank = ${testBank}), false)`;

/**
 * Gives new notices to the mails of those whom they concern: to the one that still collects, or to a new one. That is
 * due at once, or so long after the last one that more come together. A notice for nobody is only marked.
 * @returns how many notices were shared
 */
export async function shareNotices(db: Queryable, sharing: Sharing): Promise<number> {
  return inTransaction(db, async (trx) => {
    // One dispatcher at a time: two that began together would each make a mail that is due at once.
    await sql`select pg_advisory_xact_lock(hashtextextended('payments: notices among mails', 0))`.execute(
      trx,
    );
    const now = sharing.now();
    const notices = await listUnshared(trx, sharing.limit);
    if (notices.length === 0) return 0;
    const groups = await groupsOf(
      trx,
      notices.filter((notice) => !notice.isTest),
      sharing,
    );
    if (groups.length > 0) await addToMails(trx, groups, now, sharing.collectMs);
    const ids = notices.map(({ id }) => id);
    await trx.updateTable('notices').set({ sharedAt: now }).where('id', '=', anyOf(ids)).execute();
    return notices.length;
  });
}

async function listUnshared(trx: Queryable, limit: number): Promise<Unshared[]> {
  return trx
    .selectFrom('notices')
    .select(['id', 'kind', 'storeId', isTest.as('isTest')])
    .where('sharedAt', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function groupsOf(
  trx: Queryable,
  notices: readonly Unshared[],
  { toPeople, toWebhook }: Sharing,
): Promise<Group[]> {
  const stores = notices.flatMap(({ storeId }) => storeId ?? []);
  const accounts = toPeople ? await listRecipients(trx, stores) : [];
  const groups: Group[] = [];
  for (const [kind, ofKind] of Map.groupBy(notices, (notice) => notice.kind)) {
    const idsOf = (told: readonly Unshared[]) => told.map(({ id }) => id);
    if (toWebhook !== null)
      groups.push({ accountId: null, recipient: toWebhook, kind, noticeIds: idsOf(ofKind) });
    for (const account of accounts) {
      const noticeIds = idsOf(ofKind.filter((notice) => isToldOf(account, notice)));
      if (noticeIds.length > 0)
        groups.push({ accountId: account.id, recipient: account.email, kind, noticeIds });
    }
  }
  return groups;
}

/** @returns the active accounts of the platform and of these stores */
async function listRecipients(trx: Queryable, stores: readonly string[]) {
  return trx
    .selectFrom('accounts')
    .select(['id', 'email', 'role', 'storeId', 'active', 'notices'])
    .where('active', '=', true)
    .where((eb) => eb.or([eb('storeId', 'is', null), eb('storeId', '=', anyOf(stores))]))
    .execute();
}

async function addToMails(
  trx: Queryable,
  groups: readonly Group[],
  now: Date,
  collectMs: number,
): Promise<void> {
  const { rows: mails } = await sql<{ id: string; accountId: string | null; kind: NoticeKind }>`
    insert into mails (id, kind, account_id, recipient, state, next_attempt_at, closed, created_at)
    select g.id, g.kind, g.account_id, g.recipient, 'pending',
      greatest(${now}::timestamptz, ${lastLeft(now)} + ${collectMs} * interval '1 millisecond'), false, ${now}
    from unnest(
      ${groups.map(() => newId(now))}::uuid[], ${groups.map(({ kind }) => kind)}::text[],
      ${groups.map(({ accountId }) => accountId)}::uuid[], ${groups.map(({ recipient }) => recipient)}::text[]
    ) as g (id, kind, account_id, recipient)
    on conflict (account_id, kind) where not closed do update set recipient = excluded.recipient
    returning id, account_id, kind`.execute(trx);
  const idOf = new Map(mails.map(({ id, accountId, kind }) => [keyOf({ accountId, kind }), id]));
  const pairs = groups.flatMap((group) =>
    group.noticeIds.map((noticeId) => ({ noticeId, mailId: idOf.get(keyOf(group))! })),
  );
  await sql`
    insert into mail_notices (mail_id, notice_id)
    select * from unnest(
      ${pairs.map(({ mailId }) => mailId)}::uuid[], ${pairs.map(({ noticeId }) => noticeId)}::uuid[])
    on conflict do nothing`.execute(trx);
}

/**
 * SQL: when a mail left, or began to. One that still collects counts as leaving now: it may be claimed before the statement
 * reaches it.
 */
const leftAt = (now: Date) =>
  sql`case when m.closed then coalesce(m.sent_at, m.created_at) else ${now}::timestamptz end`;

/** SQL: when the last mail of the same kind for the same person left. Null and a person each have an index. */
const lastLeft = (now: Date) => sql`(
  case when g.account_id is null then (
    select ${leftAt(now)} from mails m where m.account_id is null and m.kind = g.kind order by m.id desc limit 1
  ) else (
    select ${leftAt(now)} from mails m where m.account_id = g.account_id and m.kind = g.kind order by m.id desc limit 1
  ) end)`;

const keyOf = ({ accountId, kind }: Pick<Group, 'accountId' | 'kind'>) => `${accountId} ${kind}`;
