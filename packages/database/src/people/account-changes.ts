import { changedRole } from '@payments/domain/account-role';
import type { Role } from '@payments/domain/roles';
import type { Queryable } from '../connection.ts';
import type { ChangedValues } from '../operations/change-actions.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { findStore } from '../stores/stores.ts';
import { inTransaction } from '../transaction.ts';
import { type Account, accountColumns, type Invitation } from './accounts.ts';
import { deleteSessions } from './sessions.ts';

export type AccountChange = {
  name?: string | undefined;
  role?: Role | undefined;
  storeId?: string | undefined;
  active?: boolean | undefined;
};

export type AccountRefusal =
  | 'unknown'
  | 'store_missing'
  | 'store_given'
  | 'store_unknown'
  /** Nobody but `ADMIN_KEY` could manage accounts afterwards. */
  | 'last_owner';

type Circumstances = { by: Author; now: Date; mayEndLastOwner: boolean };

/**
 * Sets the given fields and leaves the others. Another role or store, or a deactivation, ends every session of the
 * account: a session never has rights that were taken away.
 */
export async function updateAccount(
  db: Queryable,
  id: string,
  change: AccountChange,
  { by, now, mayEndLastOwner }: Circumstances,
): Promise<Account | AccountRefusal> {
  return inTransaction(db, async (trx) => {
    // Locks every owner, so that two of them can't take each other's role at the same time.
    const rows = await trx
      .selectFrom('accounts')
      .select(accountColumns)
      .where((eb) => eb.or([eb('id', '=', id), eb.and([eb('role', '=', 'owner'), eb('active', '=', true)])]))
      .orderBy('id')
      .forNoKeyUpdate()
      .execute();
    const account = rows.find((row) => row.id === id);
    if (!account) return 'unknown';
    const to = await judged(trx, account, change);
    if (typeof to === 'string') return to;
    const isOwner = ({ role, active }: Account) => role === 'owner' && active;
    if (isOwner(account) && !isOwner(to) && rows.filter(isOwner).length === 1 && !mayEndLastOwner)
      return 'last_owner';
    await write(trx, account, to, { by, now });
    return to;
  });
}

async function judged(
  trx: Queryable,
  account: Account,
  { name = account.name, active = account.active, ...rest }: AccountChange,
): Promise<Account | AccountRefusal> {
  const { role, storeId } = rest;
  const changed = changedRole(account, { ...(role && { role }), storeId });
  if (typeof changed === 'string') return changed;
  if (changed.storeId !== null && !(await findStore(trx, changed.storeId))) return 'store_unknown';
  return { ...account, name, active, ...changed };
}

const fields = ['name', 'role', 'storeId', 'active'] as const;

async function write(
  trx: Queryable,
  before: Account,
  after: Account,
  { by, now }: { by: Author; now: Date },
): Promise<void> {
  const changed = fields.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return;
  const { id, name, role, storeId, active } = after;
  await trx.updateTable('accounts').set({ name, role, storeId, active }).where('id', '=', id).execute();
  if (changed.some((one) => one !== 'name')) await deleteSessions(trx, id);
  const values = (account: Account): ChangedValues =>
    Object.fromEntries(changed.map((one) => [one, account[one]]));
  // Nobody of a store sees which other store a person was of.
  const recordOf = before.storeId !== null && before.storeId !== storeId ? null : storeId;
  const change = { subject: id, from: values(before), to: values(after) };
  await recordChange(trx, by, { action: 'account.changed', at: now, storeId: recordOf, ...change });
}

/** Makes a new invitation, the only one that works. @returns the account, or undefined if there is none */
export async function inviteAccount(
  db: Queryable,
  id: string,
  invitation: Invitation,
  { by, now }: { by: Author; now: Date },
): Promise<Account | undefined> {
  return inTransaction(db, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set(invitation)
      .where('id', '=', id)
      .returning(accountColumns)
      .executeTakeFirst();
    if (!account) return undefined;
    const { storeId } = account;
    await recordChange(trx, by, { action: 'account.invited', at: now, storeId, subject: id });
    return account;
  });
}
