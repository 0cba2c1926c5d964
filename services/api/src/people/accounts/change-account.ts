import type { Author } from '@payments/database/operations/changes';
import { isActiveOwner, updateAccount } from '@payments/database/people/account-changes';
import type { Account } from '@payments/database/people/accounts';
import type { Role } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { storeOr404 } from '../../access/own.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { roleAfter } from './role-fields.ts';

/** Undefined keeps what the account has. */
export type AccountChange = {
  name?: string | undefined;
  role?: Role | undefined;
  storeId?: string | undefined;
  active?: boolean | undefined;
};

/**
 * Changes an account.
 * @throws ApiError 400, 404 or 409; the last active owner goes only by `ADMIN_KEY`, which can make another
 */
export async function changeAccount(
  { db, now }: Pick<PeopleContext, 'db' | 'now'>,
  id: string,
  change: AccountChange,
  { actor, by }: { actor: Actor; by: Author },
): Promise<Account> {
  const changed = await updateAccount(
    db,
    id,
    async (trx, account, isLastOwner) => {
      const { name = account.name, active = account.active } = change;
      const to = { ...account, name, active, ...roleAfter(account, change) };
      if (to.storeId !== null) await storeOr404({ db: trx }, actor, to.storeId);
      if (isLastOwner && !isActiveOwner(to) && actor.kind !== 'admin_key') throw errors.lastOwner();
      return to;
    },
    { by, now: now() },
  );
  if (!changed) throw errors.accountNotFound();
  return changed;
}
