import type { Queryable } from '@payments/database/connection';
import type { Author } from '@payments/database/operations/changes';
import { updateAccount } from '@payments/database/people/account-changes';
import {
  type Account,
  type AccountWithSecrets,
  findAccountWithSecrets,
  insertAccount,
} from '@payments/database/people/accounts';
import { findAccountBySubject, linkInvitedAccount } from '@payments/database/people/linked-accounts';
import { endSessions } from '@payments/database/people/sessions';
import { newId } from '@payments/domain/identifiers';
import type { PeopleContext } from '../../context.ts';
import type { SignedOnPerson } from './person.ts';

export type SignOnRefusal = 'inactive' | 'no_account' | 'no_group';

/**
 * Finds the account of a person whom the issuer knows: by the issuer's id of the person, else an invited account by its
 * verified e-mail. A new account needs a group with a platform's role, and its role follows the groups from then on.
 */
export async function findOrMakeAccount(
  { db, now }: Pick<PeopleContext, 'db' | 'now'>,
  person: SignedOnPerson,
  by: Author,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const known = await findAccountBySubject(db, person);
  if (known) return known.active ? followGroups({ db, now }, known, person, by) : 'inactive';
  const { email, role, name, issuer, subject } = person;
  if (email === undefined) return 'no_account';
  const createdAt = now();
  if (!(await linkInvitedAccount(db, { ...person, email }, { by, now: createdAt })) && role !== undefined) {
    const id = newId();
    const account = {
      id,
      name,
      email,
      role,
      storeId: null,
      createdAt,
      issuer,
      subject,
      roleFromGroups: true as const,
    };
    await insertAccount(db, account, { ...by, id });
  }
  return (await findAccountBySubject(db, person)) ?? 'no_account';
}

/**
 * Gives an account the role of its person's groups, if groups gave it before: another role ends its sessions, and without
 * any the person is refused until a group gives one again. The last owner may go so, too: `ADMIN_KEY` can make another.
 */
export async function followGroups(
  { db, now }: Pick<PeopleContext, 'db' | 'now'>,
  account: AccountWithSecrets,
  { role, issuer }: SignedOnPerson,
  by: Author,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const { id, storeId } = account;
  if (!account.roleFromGroups || account.role === role) return account;
  // The issuer decided: the person only signed in.
  const decided = { by: { ...by, id: null, name: new URL(issuer).host }, now: now() };
  if (role === undefined) {
    await endSessions(db, id, 'all', { ...decided, storeId });
    return 'no_group';
  }
  // Meanwhile a person may have given another role, which stays.
  const follow = async (trx: Queryable, locked: Account) =>
    (await findAccountWithSecrets(trx, id))?.roleFromGroups ? { ...locked, role } : locked;
  await updateAccount(db, id, follow, { ...decided, byGroups: true });
  return (await findAccountWithSecrets(db, id)) ?? 'no_account';
}
