import {
  type Account,
  type AccountWithSecrets,
  findAccountBySubject,
  findAccountWithSecrets,
  linkInvitedAccount,
} from '@payments/database/accounts/accounts';
import type { Queryable } from '@payments/database/connection';
import { type Author, recordChange } from '@payments/database/record/changes';
import { inTransaction } from '@payments/database/transaction';
import { newId } from '@payments/domain/identifiers';
import type { PeopleContext } from '../../context.ts';
import { addAccount, decideOnAccount } from '../accounts/actions.ts';
import { endSessions } from '../my-account/actions.ts';
import type { SignedOnPerson } from './client.ts';

/** The account of a person whom the single sign-on knows: found, linked or made, and its role kept. */

type Context = Pick<PeopleContext, 'db' | 'now'>;

export type SignOnRefusal = 'inactive' | 'no_account' | 'no_group';

/**
 * Finds the account of a person whom the issuer knows: by the issuer's id of the person, else an invited account by its
 * verified e-mail. A new account needs a group with a platform's role, and its role follows the groups from then on.
 */
export async function findOrMakeAccount(
  { db, now }: Context,
  person: SignedOnPerson,
  by: Author,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const known = await findAccountBySubject(db, person);
  if (known) return known.active ? followGroups({ db, now }, known, person, by) : 'inactive';
  const { email, role, name, issuer, subject } = person;
  if (email === undefined) return 'no_account';
  if (!(await linkInvited({ db, now }, { ...person, email }, by)) && role !== undefined) {
    const identity = { issuer, subject, roleFromGroups: true as const };
    const account = { id: newId(), name, email, role, storeId: null, createdAt: now(), ...identity };
    await addAccount({ db }, account, { ...by, id: account.id });
  }
  return (await findAccountBySubject(db, person)) ?? 'no_account';
}

/** Links an invited account to the person with its e-mail. @returns false if there is no such account */
async function linkInvited(
  { db, now }: Context,
  person: SignedOnPerson & { email: string },
  by: Author,
): Promise<boolean> {
  const at = now();
  return inTransaction(db, async (trx) => {
    const account = await linkInvitedAccount(trx, person, at);
    if (!account) return false;
    const { id, name, storeId } = account;
    const to = { issuer: person.issuer };
    const linked = { action: 'account.changed', at, storeId, subject: id, to } as const;
    await recordChange(trx, { ...by, id, name }, linked);
    return true;
  });
}

/**
 * Gives an account the role of its person's groups, if groups gave it before: another role ends its sessions, and without
 * any the person is refused until a group gives one again. The last owner may go so, too: `ADMIN_KEY` can make another.
 */
export async function followGroups(
  { db, now }: Context,
  account: AccountWithSecrets,
  { role, issuer }: SignedOnPerson,
  by: Author,
): Promise<AccountWithSecrets | SignOnRefusal> {
  const { id, storeId } = account;
  if (!account.roleFromGroups || account.role === role) return account;
  // The issuer decided: the person only signed in.
  const decider = { ...by, id: null, name: new URL(issuer).host };
  if (role === undefined) {
    await endSessions({ db, now }, { id, storeId }, 'all', decider);
    return 'no_group';
  }
  // Meanwhile a person may have given another role, which stays.
  const follow = async (trx: Queryable, locked: Account) =>
    (await findAccountWithSecrets(trx, id))?.roleFromGroups ? { ...locked, role } : locked;
  await decideOnAccount({ db, now }, id, follow, { by: decider, byGroups: true });
  return (await findAccountWithSecrets(db, id)) ?? 'no_account';
}
