import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import type { Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

export const accountColumns = ['id', 'name', 'email', 'role', 'storeId', 'active', 'createdAt'] as const;

/** A person's account, without its secrets. */
export type Account = Selected<'accounts', typeof accountColumns>;

/** A link that sets the account's password: the hash of its token, and its end. */
export type Invitation = { invitationHash: Buffer; invitationUntil: Date };

/** A person at the single sign-on. */
export type Identity = { issuer: string; subject: string };

/** The author of a change of an account, its time, and the account's store. */
export type OnOwnAccount = { by: Author; now: Date; storeId: string | null };

/** It signs in by the password that its invitation sets, or by the single sign-on. */
export type NewAccount = Omit<Account, 'active'> & (Invitation | (Identity & { roleFromGroups: true }));

/** @returns undefined if another account has the e-mail, in any case */
export async function insertAccount(
  db: Queryable,
  account: NewAccount,
  by: Author,
): Promise<Account | undefined> {
  const { id, name, role, storeId, createdAt: at } = account;
  return inTransaction(db, async (trx) => {
    const row = await trx
      .insertInto('accounts')
      .values(account)
      .onConflict((conflict) => conflict.doNothing())
      .returning(accountColumns)
      .executeTakeFirst();
    if (!row) return undefined;
    // The record outlives the person's data, so it names no e-mail.
    const to = { name, role, storeId, ...('issuer' in account && { issuer: account.issuer }) };
    await recordChange(trx, by, { action: 'account.created', at, storeId, subject: id, to });
    return row;
  });
}

/** @returns every account, oldest first */
export async function listAccounts(db: Queryable): Promise<Account[]> {
  return db.selectFrom('accounts').select(accountColumns).orderBy('id').execute();
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

export function withSecrets(db: Queryable) {
  return db.selectFrom('accounts').select(secretColumns);
}
