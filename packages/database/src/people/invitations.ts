import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { type Account, accountColumns } from './accounts.ts';
import { deleteSessionsOf } from './sessions.ts';

/** @returns the account of an invitation that was not used and has not expired; none for an inactive account */
export async function findInvited(db: Queryable, hash: Buffer, now: Date): Promise<Account | undefined> {
  return db
    .selectFrom('accounts')
    .select(accountColumns)
    .where('invitationHash', '=', hash)
    .where('invitationUntil', '>', now)
    .where('active', '=', true)
    .executeTakeFirst();
}

/**
 * Uses an invitation: sets the password, removes the second factor and the passkeys, and ends every session of the account.
 * @returns false if it was used before or has expired
 */
export async function acceptInvitation(
  db: Queryable,
  hash: Buffer,
  { password, now, by }: { password: string; now: Date; by: Author },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set({ password, invitationHash: null, invitationUntil: null, totpSecret: null, totpStep: null })
      .where('invitationHash', '=', hash)
      .where('invitationUntil', '>', now)
      .where('active', '=', true)
      .returning(['id', 'name', 'storeId'])
      .executeTakeFirst();
    if (!account) return false;
    const { id, name, storeId } = account;
    await trx.deleteFrom('recoveryCodes').where('accountId', '=', id).execute();
    await trx.deleteFrom('passkeys').where('accountId', '=', id).execute();
    await deleteSessionsOf(trx, id);
    const author = { ...by, name, id };
    await recordChange(trx, author, { action: 'account.password_set', at: now, storeId, subject: id });
    return true;
  });
}
