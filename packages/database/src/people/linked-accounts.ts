import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Account, type AccountWithSecrets, type Identity, withSecrets } from './accounts.ts';

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
 * @returns the account, or undefined if there is none
 */
export async function linkInvitedAccount(
  trx: Queryable,
  { issuer, subject, email }: Identity & { email: string },
  now: Date,
): Promise<Pick<Account, 'id' | 'name' | 'storeId'> | undefined> {
  return trx
    .updateTable('accounts')
    .set({ issuer, subject, invitationHash: null, invitationUntil: null })
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('active', '=', true)
    .where('password', 'is', null)
    .where('subject', 'is', null)
    .where('invitationUntil', '>', now)
    .returning(['id', 'name', 'storeId'])
    .executeTakeFirst();
}
