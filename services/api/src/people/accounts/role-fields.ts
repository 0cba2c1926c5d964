import { type AccountRole, changedRole } from '@payments/domain/account-role';
import { roles } from '@payments/domain/roles';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readId, readOneOf } from '../../http/field-values.ts';

/**
 * Reads the role of a key or an account, and the store that it belongs to.
 * @throws ApiError 400 for an unknown role, a store's role without a store, a platform's with one
 */
export function readRole({ role: given, storeId }: { role: unknown; storeId?: unknown }): AccountRole {
  const role = readOneOf('role', given, roles);
  // Judged before the form of the id.
  const isGiven = storeId !== undefined && storeId !== null;
  roleAfter({ role, storeId: null }, { storeId: isGiven ? String(storeId) : undefined });
  return { role, storeId: isGiven ? readId('storeId', storeId) : null };
}

/** @throws ApiError 400 for a store's role without a store, a platform's with one */
export function roleAfter(account: AccountRole, change: Parameters<typeof changedRole>[1]): AccountRole {
  const changed = changedRole(account, change);
  if (changed === 'store_missing') throw wrongField('storeId', rules.notEmpty);
  if (changed === 'store_given') throw wrongField('storeId', rules.empty);
  return changed;
}
