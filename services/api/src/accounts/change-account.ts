import type { Author } from '@payments/database/operations/changes';
import {
  type AccountChange,
  type AccountRefusal,
  updateAccount,
} from '@payments/database/people/account-changes';
import type { Account } from '@payments/database/people/accounts';
import type { Actor } from '../authentication/actor.ts';
import type { ApiContext } from '../context.ts';
import type { ApiError } from '../errors/api-error.ts';
import { wrongField } from '../errors/condition.ts';
import { errors } from '../errors/errors.ts';
import { rules } from '../errors/field-rules.ts';

const refusals: Record<AccountRefusal, () => ApiError> = {
  unknown: errors.accountNotFound,
  store_missing: () => wrongField('storeId', rules.notEmpty),
  store_given: () => wrongField('storeId', rules.empty),
  store_unknown: errors.storeNotFound,
  last_owner: errors.lastOwner,
};

/**
 * Changes an account.
 * @throws ApiError 400, 404 or 409; the last active owner goes only by `ADMIN_KEY`, which can make another
 */
export async function changeAccount(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  id: string,
  change: AccountChange,
  { actor, by }: { actor: Actor; by: Author },
): Promise<Account> {
  const mayEndLastOwner = actor.kind === 'admin_key';
  const account = await updateAccount(db, id, change, { by, now: now(), mayEndLastOwner });
  if (typeof account === 'string') throw refusals[account]();
  return account;
}
