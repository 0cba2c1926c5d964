import type { Role } from '@payments/domain/roles';
import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import type { Schema, Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';
import type { AccountWithSecrets } from './accounts.ts';
import { listPasskeys } from './passkeys.ts';

/** The account by which a person was judged. */
export type Judged = Pick<AccountWithSecrets, 'id' | 'password' | 'totpSecret'> & {
  /** True if the password was enough because there was no passkey. */
  hadNoPasskey?: boolean;
  /** The passkey that was enough. */
  passkeyId?: string;
};

// The most sessions of an account that are open at a time, complete and half ones each.
const mostOpen = 50;

/**
 * Begins a session, and deletes those that are past their end, and the account's oldest ones beyond the bound.
 * @param judged the account by which its person was judged: another password or factor ended every session meanwhile
 * @returns false if the account is another one by now, or not active
 */
export async function insertSession(
  db: Database,
  session: Omit<Schema['sessions'], 'lastUsedAt' | 'provedAt'>,
  judged: Judged | null = null,
): Promise<boolean> {
  const { createdAt } = session;
  await db.deleteFrom('sessions').where('expiresAt', '<=', createdAt).execute();
  return inTransaction(db, async (trx) => {
    if (judged && !(await isStill(trx, judged))) return false;
    await endOldest(trx, session);
    await trx
      .insertInto('sessions')
      .values({ ...session, lastUsedAt: createdAt, provedAt: createdAt })
      .execute();
    return true;
  });
}

/** Sessions after the password alone, before a second factor, end none of those that are complete. */
async function endOldest(
  trx: Queryable,
  { accountId, complete }: Pick<Schema['sessions'], 'accountId' | 'complete'>,
): Promise<void> {
  const beyond = trx
    .selectFrom('sessions')
    .select('id')
    .where('accountId', '=', accountId)
    .where('complete', '=', complete)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(mostOpen - 1);
  await trx.deleteFrom('sessions').where('id', 'in', beyond).execute();
}

/** Whoever changes the account waits for the transaction, and then finds its session. */
async function isStill(trx: Queryable, judged: Judged): Promise<boolean> {
  const { id, password, totpSecret, hadNoPasskey, passkeyId } = judged;
  const row = await trx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', id)
    .where('active', '=', true)
    .where('password', 'is not distinct from', password)
    .where('totpSecret', 'is not distinct from', totpSecret)
    .forShare()
    .executeTakeFirst();
  if (!row) return false;
  if (!hadNoPasskey && passkeyId === undefined) return true;
  const known = await listPasskeys(trx, id);
  return hadNoPasskey ? known.length === 0 : known.some((passkey) => passkey.id === passkeyId);
}

/** A session with the account as it is now. */
export type SessionFound = {
  id: string;
  complete: boolean;
  lastUsedAt: Date;
  provedAt: Date;
  account: SessionAccount | null;
};

type SessionAccount = {
  id: string;
  name: string;
  role: Role;
  storeId: string | null;
  /** Whether the store is a test store. */
  isOfTests: boolean;
  /** Whether an authenticator app or a passkey is set up. */
  hasFactor: boolean;
  /** Whether the single sign-on alone lets the person in: its issuer is then the one that asks for factors. */
  isSignedOn: boolean;
};

/** A session ends at its end, and before that when it was not used since `usedSince`. */
type Moment = { now: Date; usedSince: Date };

const hasFactor = sql<boolean>`(a.totp_secret is not null
  or exists (select from passkeys where account_id = a.id))`;

/** @returns the session of a cookie, unless it has ended, or its account is not active */
export async function findSession(
  db: Queryable,
  hash: Buffer,
  { now, usedSince }: Moment,
): Promise<SessionFound | undefined> {
  const row = await db
    .selectFrom('sessions as s')
    .leftJoin('accounts as a', 'a.id', 's.accountId')
    .leftJoin('stores', 'stores.id', 'a.storeId')
    .select(['s.id', 'complete', 'lastUsedAt', 'provedAt', 's.accountId'])
    .select(['a.name as accountName', 'a.role', 'a.storeId', 'a.active', 'stores.test'])
    .select([
      hasFactor.as('hasFactor'),
      sql<boolean>`(a.subject is not null and a.password is null)`.as('isSignedOn'),
    ])
    .where('hash', '=', hash)
    .where('expiresAt', '>', now)
    .where('lastUsedAt', '>', usedSince)
    .executeTakeFirst();
  if (!row) return undefined;
  const { accountId, accountName, role, storeId, test, active, hasFactor: has, isSignedOn, ...session } = row;
  if (accountId === null) return { ...session, account: null };
  if (!active || role === null || accountName === null) return undefined;
  return {
    ...session,
    account: {
      id: accountId,
      name: accountName,
      role,
      storeId,
      isOfTests: test === true,
      hasFactor: has,
      isSignedOn,
    },
  };
}

/** Records a use, unless one of the last `everyMs` is recorded. */
export async function recordSessionUse(
  db: Queryable,
  { id, lastUsedAt }: Pick<SessionFound, 'id' | 'lastUsedAt'>,
  { now, everyMs }: { now: Date; everyMs: number },
): Promise<void> {
  if (now.getTime() - lastUsedAt.getTime() < everyMs) return;
  await db.updateTable('sessions').set({ lastUsedAt: now }).where('id', '=', id).execute();
}

/** Records that the person of a session has just proved who they are. @returns false if the session has ended */
export async function recordProof(db: Queryable, id: string, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('sessions')
    .set({ provedAt: now, lastUsedAt: now })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps a session open until the transaction ends. Lock its account before. @returns false if it has ended */
export async function holdSession(trx: Queryable, id: string): Promise<boolean> {
  const held = trx.selectFrom('sessions').select('id').where('id', '=', id).forShare();
  return (await held.executeTakeFirst()) !== undefined;
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
  { now, usedSince }: Moment,
): Promise<ListedSession[]> {
  return db
    .selectFrom('sessions')
    .select(listed)
    .where('accountId', accountId === null ? 'is' : '=', accountId)
    .where('complete', '=', true)
    .where('expiresAt', '>', now)
    .where('lastUsedAt', '>', usedSince)
    .orderBy('lastUsedAt', 'desc')
    .execute();
}
