import type { Role } from '@payments/domain/roles';
import type { Queryable } from '../connection.ts';
import { changeOnRecord } from '../operations/changes.ts';
import type { Schema, Selected } from '../schema.ts';
import type { OnOwnAccount } from './accounts.ts';

/** Begins a session, and deletes those that are past their end. */
export async function insertSession(
  db: Queryable,
  session: Omit<Schema['sessions'], 'lastUsedAt'>,
): Promise<void> {
  const { createdAt } = session;
  await db.deleteFrom('sessions').where('expiresAt', '<=', createdAt).execute();
  await db
    .insertInto('sessions')
    .values({ ...session, lastUsedAt: createdAt })
    .execute();
}

/** A session with the account as it is now. */
export type SessionFound = {
  id: string;
  complete: boolean;
  lastUsedAt: Date;
  account: { id: string; name: string; role: Role; storeId: string | null } | null;
};

/** @returns the session of a cookie, unless it has ended, or its account is not active */
export async function findSession(db: Queryable, hash: Buffer, now: Date): Promise<SessionFound | undefined> {
  const row = await db
    .selectFrom('sessions as s')
    .leftJoin('accounts as a', 'a.id', 's.accountId')
    .select(['s.id', 'complete', 'lastUsedAt', 's.accountId'])
    .select(['a.name as accountName', 'a.role', 'a.storeId', 'a.active'])
    .where('hash', '=', hash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  const { accountId, accountName, role, storeId, active, ...session } = row;
  if (accountId === null) return { ...session, account: null };
  if (!active || role === null || accountName === null) return undefined;
  return { ...session, account: { id: accountId, name: accountName, role, storeId } };
}

/** Records a use, unless one of the last minute is recorded. */
export async function recordSessionUse(
  db: Queryable,
  { id, lastUsedAt }: Pick<SessionFound, 'id' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  if (now.getTime() - lastUsedAt.getTime() < 60_000) return;
  await db.updateTable('sessions').set({ lastUsedAt: now }).where('id', '=', id).execute();
}

/** Ends one session on every replica at once. */
export async function deleteSession(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute();
}

/**
 * Deletes the sessions of an account, or of `ADMIN_KEY`.
 * @param which one of them, all but one, or all
 * @returns their number
 */
export async function deleteSessions(
  db: Queryable,
  accountId: string | null,
  which: { id?: string; except?: string } = {},
): Promise<number> {
  const { id, except } = which;
  const all = db.deleteFrom('sessions').where('accountId', accountId === null ? 'is' : '=', accountId);
  const chosen = id === undefined ? all : all.where('id', '=', id);
  const ended = except === undefined ? chosen : chosen.where('id', '<>', except);
  return (await ended.returning('id').execute()).length;
}

const listed = ['id', 'address', 'browser', 'createdAt', 'lastUsedAt'] as const;

export type ListedSession = Selected<'sessions', typeof listed>;

/** @param accountId null for the sessions of `ADMIN_KEY` */
export async function listSessions(
  db: Queryable,
  accountId: string | null,
  now: Date,
): Promise<ListedSession[]> {
  return db
    .selectFrom('sessions')
    .select(listed)
    .where('accountId', accountId === null ? 'is' : '=', accountId)
    .where('complete', '=', true)
    .where('expiresAt', '>', now)
    .orderBy('lastUsedAt', 'desc')
    .execute();
}

/**
 * Ends sessions of one account, or of `ADMIN_KEY`.
 * @param which one of them, or all but one
 */
export async function endSessions(
  db: Queryable,
  accountId: string | null,
  which: { id: string } | { except: string },
  { by, now: at, storeId }: OnOwnAccount,
): Promise<void> {
  await changeOnRecord(db, by, async (trx) => {
    const sessions = await deleteSessions(trx, accountId, which);
    if (sessions === 0) return undefined;
    const subject = accountId === null ? {} : { subject: accountId };
    return { action: 'account.sessions_ended', at, storeId, ...subject, to: { sessions } };
  });
}
