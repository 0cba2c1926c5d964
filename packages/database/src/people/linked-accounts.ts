import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { type Account, type AccountWithSecrets, withSecrets } from './accounts.ts';

/** A person at the single sign-on. */
export type Identity = { issuer: string; subject: string };

export async function findAccountBySubject(
  db: Queryable,
  { issuer, subject }: Identity,
): Promise<AccountWithSecrets | undefined> {
  const ofSubject = withSecrets(db).where('issuer', '=', issuer).where('subject', '=', subject);
  return ofSubject.executeTakeFirst();
}

/**
 * Links an invited account to the person with its e-mail, and uses the invitation up. One that has a password is
 * never linked: an issuer's e-mail must not open an account that others rely on.
 * @returns false if there is no such account
 */
export async function linkInvitedAccount(
  db: Queryable,
  { issuer, subject, email }: Identity & { email: string },
  { by, now: at }: { by: Author; now: Date },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set({ issuer, subject, invitationHash: null, invitationUntil: null })
      .where(sql`lower(email)`, '=', sql`lower(${email})`)
      .where('active', '=', true)
      .where('password', 'is', null)
      .where('subject', 'is', null)
      .where('invitationUntil', '>', at)
      .returning(['id', 'name', 'storeId'])
      .executeTakeFirst();
    if (!account) return false;
    const { id, name, storeId } = account;
    const author = { ...by, id, name };
    await recordChange(trx, author, { action: 'account.changed', at, storeId, subject: id, to: { issuer } });
    return true;
  });
}

/** @returns false if another account has the e-mail */
export async function insertLinkedAccount(
  db: Queryable,
  account: Omit<Account, 'active'>,
  { issuer, subject }: Identity,
  by: Author,
): Promise<boolean> {
  const { id, name, role, storeId, createdAt: at } = account;
  return inTransaction(db, async (trx) => {
    const row = await trx
      .insertInto('accounts')
      .values({ ...account, issuer, subject })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!row) return false;
    const to = { name, role, storeId, issuer };
    await recordChange(trx, { ...by, id }, { action: 'account.created', at, storeId, subject: id, to });
    return true;
  });
}
