import type { Author } from '@payments/database/operations/changes';
import { type AccountWithSecrets, insertAccount } from '@payments/database/people/accounts';
import { findAccountBySubject, linkInvitedAccount } from '@payments/database/people/linked-accounts';
import { newId } from '@payments/domain/identifiers';
import type { ApiContext } from '../../context.ts';
import type { SignedOnPerson } from './person.ts';

export type SignOnRefusal = 'inactive' | 'no_account';

/**
 * Finds the account of a person whom the issuer knows: by the issuer's id of the person, else an invited account by its
 * verified e-mail. A new account needs a group with a platform's role.
 */
export async function findOrMakeAccount(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  person: SignedOnPerson,
  by: Author,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const known = await findAccountBySubject(db, person);
  if (known) return known.active ? known : 'inactive';
  const { email, role, name, issuer, subject } = person;
  if (email === undefined) return 'no_account';
  const createdAt = now();
  if (!(await linkInvitedAccount(db, { ...person, email }, { by, now: createdAt })) && role !== undefined) {
    const id = newId();
    const account = { id, name, email, role, storeId: null, createdAt, issuer, subject };
    await insertAccount(db, account, { ...by, id });
  }
  return (await findAccountBySubject(db, person)) ?? 'no_account';
}
