import type { Queryable } from '../connection.ts';
import { findAccountByEmail } from './accounts.ts';
import { removeFactors } from './second-factor.ts';

/** The person still signs in: their account must be taken away first. */
export class AccountActive extends Error {
  override readonly name = 'AccountActive';
}

/**
 * Erases the account with this e-mail, and what it signed in with. Its row stays, since the record names its id.
 * @throws AccountActive
 */
export async function eraseAccount(trx: Queryable, email: string): Promise<void> {
  const account = await findAccountByEmail(trx, email);
  if (!account) return;
  if (account.active) throw new AccountActive('the person has an active account');
  const { id } = account;
  await removeFactors(trx, id);
  const nothing = { password: null, invitationHash: null, invitationUntil: null };
  await trx
    .updateTable('accounts')
    .set({ ...nothing, name: '—', email: `${id}@erased.invalid`, issuer: null, subject: null })
    .where('id', '=', id)
    .execute();
}
