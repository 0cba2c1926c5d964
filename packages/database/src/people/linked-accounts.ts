import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { type AccountWithSecrets, type Identity, withSecrets } from './accounts.ts';

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
    await recordChange(
      trx,
      { ...by, id, name },
      { action: 'account.changed', at, storeId, subject: id, to: { issuer } },
    );
    return true;
  });
}
