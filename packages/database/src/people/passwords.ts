import type { Queryable } from '../connection.ts';
import { type Author, changeOnRecord } from '../operations/changes.ts';
import { type Account, accountColumns } from './accounts.ts';
import { removeFactors } from './second-factor.ts';
import { deleteSessions } from './sessions.ts';

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

// A link that somebody else asked for must not undo a new password.
const withoutInvitation = { invitationHash: null, invitationUntil: null };

/**
 * Uses an invitation: sets the password, removes the second factor and the passkeys, and ends every session.
 * @returns false if it was used before or has expired
 */
export async function acceptInvitation(
  db: Queryable,
  hash: Buffer,
  { password, now: at, by }: { password: string; now: Date; by: Author },
): Promise<boolean> {
  return changeOnRecord(db, by, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set({ password, ...withoutInvitation })
      .where('invitationHash', '=', hash)
      .where('invitationUntil', '>', at)
      .where('active', '=', true)
      .returning(['id', 'storeId'])
      .executeTakeFirst();
    if (!account) return undefined;
    const { id, storeId } = account;
    await removeFactors(trx, id);
    return { action: 'account.password_set', at, storeId, subject: id };
  });
}

/** Sets another password, and ends every session of the account but the given one. */
export async function changePassword(
  db: Queryable,
  { id, storeId }: { id: string; storeId: string | null },
  password: string,
  { by, now: at, session }: { by: Author; now: Date; session: string },
): Promise<void> {
  await changeOnRecord(db, by, async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ password, ...withoutInvitation })
      .where('id', '=', id)
      .execute();
    await deleteSessions(trx, id, { except: session });
    return { action: 'account.password_set', at, storeId, subject: id };
  });
}
