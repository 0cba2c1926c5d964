import type { Queryable } from '../connection.ts';
import { type Account, accountColumns } from './accounts.ts';

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
 * Uses an invitation up and sets the password.
 * @returns the account, or undefined if the invitation was used before or has expired
 */
export async function useInvitation(
  trx: Queryable,
  hash: Buffer,
  { password, now }: { password: string; now: Date },
): Promise<Pick<Account, 'id' | 'storeId'> | undefined> {
  return trx
    .updateTable('accounts')
    .set({ password, ...withoutInvitation })
    .where('invitationHash', '=', hash)
    .where('invitationUntil', '>', now)
    .where('active', '=', true)
    .returning(['id', 'storeId'])
    .executeTakeFirst();
}

/** Sets another password. */
export async function setPassword(trx: Queryable, id: string, password: string): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ password, ...withoutInvitation })
    .where('id', '=', id)
    .execute();
}
