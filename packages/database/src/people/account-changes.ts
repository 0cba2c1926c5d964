import type { Queryable } from '../connection.ts';
import { type Author, differences, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { type Account, accountColumns, type Invitation } from './accounts.ts';
import { deleteSessions } from './sessions.ts';

/** `byGroups`: the groups of the single sign-on decide, and no person. */
type Change = { by: Author; now: Date; byGroups?: boolean };

type Decide = (trx: Queryable, account: Account, isLastOwner: boolean) => Promise<Account>;

/**
 * Another role or store, or a deactivation, ends every session of the account: a session never has rights that were
 * taken away.
 * @param decide returns the account after the change, given the locked one, and whether no other active owner is left
 * @returns the account after the change, or undefined if there is none
 */
export async function updateAccount(
  db: Queryable,
  id: string,
  decide: Decide,
  change: Change,
): Promise<Account | undefined> {
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
    if (!account) return undefined;
    const isLastOwner = isActiveOwner(account) && rows.filter(isActiveOwner).length === 1;
    const to = await decide(trx, account, isLastOwner);
    await write(trx, account, to, change);
    return to;
  });
}

export const isActiveOwner = ({ role, active }: Account) => role === 'owner' && active;

async function write(
  trx: Queryable,
  before: Account,
  after: Account,
  { by, now: at, byGroups = false }: Change,
): Promise<void> {
  const { from, to } = differences(before, after);
  const changed = Object.keys(to);
  if (changed.length === 0) return;
  const { id, storeId } = after;
  // A role that a person gives stays, whatever the groups say later.
  const given = changed.some((one) => one === 'role' || one === 'storeId')
    ? { roleFromGroups: byGroups }
    : {};
  await trx
    .updateTable('accounts')
    .set({ ...to, ...given })
    .where('id', '=', id)
    .execute();
  if (changed.some((one) => one !== 'name')) await deleteSessions(trx, id);
  // Nobody of a store sees which other store a person was of.
  const recordOf = before.storeId !== null && before.storeId !== storeId ? null : storeId;
  await recordChange(trx, by, { action: 'account.changed', at, storeId: recordOf, subject: id, from, to });
}

/**
 * Makes a new invitation, the only one that works. Its password is a way in that no group rules, so the role stays as a
 * person gave it from then on.
 * @returns the account, or undefined if there is none
 */
export async function inviteAccount(
  db: Queryable,
  id: string,
  invitation: Invitation,
  { by, now }: { by: Author; now: Date },
): Promise<Account | undefined> {
  return inTransaction(db, async (trx) => {
    const account = await trx
      .updateTable('accounts')
      .set({ ...invitation, roleFromGroups: false })
      .where('id', '=', id)
      .returning(accountColumns)
      .executeTakeFirst();
    if (!account) return undefined;
    const { storeId } = account;
    await recordChange(trx, by, { action: 'account.invited', at: now, storeId, subject: id });
    return account;
  });
}
