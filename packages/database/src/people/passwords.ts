import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { deleteSessionsOf } from './sessions.ts';

/** Sets another password, and ends every session of the account but the given one. */
export async function changePassword(
  db: Queryable,
  { id, storeId }: { id: string; storeId: string | null },
  password: string,
  { by, now: at, session }: { by: Author; now: Date; session: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    // A link that somebody else asked for must not undo it.
    const set = { password, invitationHash: null, invitationUntil: null };
    await trx.updateTable('accounts').set(set).where('id', '=', id).execute();
    await deleteSessionsOf(trx, id, session);
    await recordChange(trx, by, { action: 'account.password_set', at, storeId, subject: id });
  });
}
