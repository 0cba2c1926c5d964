import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

export const accountColumns = [
  'id',
  'name',
  'email',
  'role',
  'storeId',
  'active',
  'notices',
  'createdAt',
] as const;

/** A person's account, without its secrets. */
export type Account = Selected<'accounts', typeof accountColumns>;

/** A link that sets the account's password: the hash of its token, and its end. */
export type Invitation = { invitationHash: Buffer; invitationUntil: Date };

/** Takes every link away that sets the account's password. */
export const withoutLinks = {
  invitationHash: null,
  invitationUntil: null,
  resetHash: null,
  resetUntil: null,
};

/** A person at the single sign-on. */
type Identity = { issuer: string; subject: string };

/** It signs in by the password that its invitation sets, or by the single sign-on. */
export type NewAccount = Omit<Account, 'active' | 'notices'> &
  (Invitation | (Identity & { roleFromGroups: true }));

/** @returns undefined if another account has the e-mail, in any case */
export async function insertAccount(trx: Queryable, account: NewAccount): Promise<Account | undefined> {
  return trx
    .insertInto('accounts')
    .values(account)
    .onConflict((conflict) => conflict.doNothing())
    .returning(accountColumns)
    .executeTakeFirst();
}

/**
 * Locks an account, and every active owner, so that two of them can't take each other's role at the same time.
 * @returns these accounts
 */
export async function lockAccountAndOwners(trx: Queryable, id: string): Promise<Account[]> {
  return trx
    .selectFrom('accounts')
    .select(accountColumns)
    .where((eb) => eb.or([eb('id', '=', id), eb.and([eb('role', '=', 'owner'), eb('active', '=', true)])]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Changes fields of an account. `roleFromGroups` says whether the groups of the single sign-on gave its role. */
export async function updateAccountFields(
  trx: Queryable,
  id: string,
  fields: Partial<Account & { roleFromGroups: boolean }>,
): Promise<void> {
  await trx.updateTable('accounts').set(fields).where('id', '=', id).execute();
}

/**
 * Replaces the invitation of an account. Its password is a way in that no group rules, so the role stays as a person
 * gave it from then on.
 * @returns the account, and whether it has a password; undefined if there is none
 */
export async function replaceInvitation(
  trx: Queryable,
  id: string,
  invitation: Invitation,
): Promise<(Account & { hadPassword: boolean }) | undefined> {
  return trx
    .updateTable('accounts')
    .set({ ...invitation, roleFromGroups: false })
    .where('id', '=', id)
    .returning([...accountColumns, sql<boolean>`password is not null`.as('hadPassword')])
    .executeTakeFirst();
}

/** @returns every account, oldest first */
export async function listAccounts(db: Queryable, { test }: KindFilter): Promise<Account[]> {
  return db
    .selectFrom('accounts')
    .select(accountColumns)
    .where(isOfKind(test, { store: 'storeId' }))
    .orderBy('id')
    .execute();
}

export async function findAccount(db: Queryable, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').select(accountColumns).where('id', '=', id).executeTakeFirst();
}

/** @returns whether an active owner has a second factor, or signs in at the single sign-on alone */
export async function hasOwnerWithFactor(db: Queryable): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .where(sql<boolean>`(totp_secret is not null or (subject is not null and password is null)
      or exists (select from passkeys where account_id = accounts.id))`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether there is any account */
export async function hasAccounts(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

const secretColumns = [
  ...accountColumns,
  'password',
  'totpSecret',
  'totpStep',
  'wrongCodes',
  'roleFromGroups',
] as const;

/** An account with what its sign-in needs. */
export type AccountWithSecrets = Selected<'accounts', typeof secretColumns>;

/** @returns the account with this e-mail, in any case */
export async function findAccountByEmail(
  db: Queryable,
  email: string,
): Promise<AccountWithSecrets | undefined> {
  return withSecrets(db).where(sql`lower(email)`, '=', sql`lower(${email})`).executeTakeFirst();
}

export async function findAccountWithSecrets(
  db: Queryable,
  id: string,
): Promise<AccountWithSecrets | undefined> {
  return withSecrets(db).where('id', '=', id).executeTakeFirst();
}

function withSecrets(db: Queryable) {
  return db.selectFrom('accounts').select(secretColumns);
}

/**
 * Erases what says who a person is. The account's row stays, since the record names its id.
 * @returns false for an active account, of which nothing is erased
 */
export async function eraseIdentity(trx: Queryable, id: string): Promise<boolean> {
  const nothing = { password: null, ...withoutLinks };
  const row = await trx
    .updateTable('accounts')
    .set({ ...nothing, name: '—', email: `${id}@erased.invalid`, issuer: null, subject: null })
    .where('id', '=', id)
    .where('active', '=', false)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

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
 * @returns the account, or undefined if there is none
 */
export async function linkInvitedAccount(
  trx: Queryable,
  { issuer, subject, email }: Identity & { email: string },
  now: Date,
): Promise<Pick<Account, 'id' | 'name' | 'storeId'> | undefined> {
  return trx
    .updateTable('accounts')
    .set({ issuer, subject, ...withoutLinks })
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('active', '=', true)
    .where('password', 'is', null)
    .where('subject', 'is', null)
    .where('invitationUntil', '>', now)
    .returning(['id', 'name', 'storeId'])
    .executeTakeFirst();
}
