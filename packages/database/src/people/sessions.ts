import type { Role } from '@payments/domain/roles';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import type { Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

export type NewSession = {
  id: string;
  /** The SHA-256 of the cookie's value. */
  hash: Buffer;
  /** Null for `ADMIN_KEY`. */
  accountId: string | null;
  name: string | null;
  /** False until the second factor was given. */
  complete: boolean;
  address: string;
  browser: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** Begins a session, and deletes those that are past their end. */
export async function insertSession(db: Queryable, session: NewSession): Promise<void> {
  const { id, hash, accountId, name, complete, address, browser, createdAt, expiresAt } = session;
  await db.deleteFrom('sessions').where('expiresAt', '<=', createdAt).execute();
  await db
    .insertInto('sessions')
    .values({
      id,
      hash,
      accountId,
      name,
      complete,
      address,
      browser,
      createdAt,
      lastUsedAt: createdAt,
      expiresAt,
    })
    .execute();
}

/** A session with the account as it is now. */
export type SessionFound = {
  id: string;
  complete: boolean;
  name: string | null;
  lastUsedAt: Date;
  account: { id: string; name: string; role: Role; storeId: string | null } | null;
};

/** @returns the session of a cookie, unless it has ended, or its account is not active */
export async function findSession(db: Queryable, hash: Buffer, now: Date): Promise<SessionFound | undefined> {
  const row = await db
    .selectFrom('sessions')
    .leftJoin('accounts', 'accounts.id', 'sessions.accountId')
    .select(['sessions.id', 'complete', 'sessions.name', 'lastUsedAt', 'sessions.accountId'])
    .select(['accounts.name as accountName', 'accounts.role', 'accounts.storeId', 'accounts.active'])
    .where('hash', '=', hash)
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  const { id, complete, name, lastUsedAt, accountId, accountName, role, storeId, active } = row;
  if (accountId === null) return { id, complete, name, lastUsedAt, account: null };
  if (!active || role === null || accountName === null) return undefined;
  const account = { id: accountId, name: accountName, role, storeId };
  return { id, complete, name, lastUsedAt, account };
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

/** Ends one session on every replica at once. @returns false if it had ended before */
export async function deleteSession(db: Queryable, id: string): Promise<boolean> {
  const row = await db.deleteFrom('sessions').where('id', '=', id).returning('id').executeTakeFirst();
  return row !== undefined;
}

/** Ends an account's sessions, except the given one. @returns their number */
export async function deleteSessionsOf(db: Queryable, accountId: string, except?: string): Promise<number> {
  const all = db.deleteFrom('sessions').where('accountId', '=', accountId).returning('id');
  return (await (except === undefined ? all : all.where('id', '<>', except)).execute()).length;
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
 * @returns their number
 */
export async function endSessions(
  db: Queryable,
  accountId: string | null,
  which: { id: string } | { except: string },
  { by, now: at, storeId }: { by: Author; now: Date; storeId: string | null },
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const all = trx
      .deleteFrom('sessions')
      .where('accountId', accountId === null ? 'is' : '=', accountId)
      .returning('id');
    const some = 'id' in which ? all.where('id', '=', which.id) : all.where('id', '<>', which.except);
    const { length } = await some.execute();
    const subject = accountId === null ? {} : { subject: accountId };
    const to = { sessions: length };
    if (length > 0)
      await recordChange(trx, by, { action: 'account.sessions_ended', at, storeId, ...subject, to });
    return length;
  });
}
