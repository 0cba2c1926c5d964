import type { Author } from '@payments/database/operations/changes';
import type { AccountWithSecrets } from '@payments/database/people/accounts';
import {
  findAccountBySubject,
  insertLinkedAccount,
  linkInvitedAccount,
} from '@payments/database/people/linked-accounts';
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
  requestId: string,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const known = await findAccountBySubject(db, person);
  if (known) return known.active ? known : 'inactive';
  const { email, role, name } = person;
  if (email === undefined) return 'no_account';
  const by: Author = { name, id: null, via: 'panel', reason: null, requestId };
  const at = now();
  if (await linkInvitedAccount(db, { ...person, email }, { by, now: at })) return made(db, person);
  if (role === undefined) return 'no_account';
  const account = { id: newId(), name, email, role, storeId: null, createdAt: at };
  return (await insertLinkedAccount(db, account, person, by)) ? made(db, person) : 'no_account';
}

async function made(
  db: ApiContext['db'],
  person: SignedOnPerson,
): Promise<AccountWithSecrets | SignOnRefusal> {
  return (await findAccountBySubject(db, person)) ?? 'no_account';
}
