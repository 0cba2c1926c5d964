import { isStoreRole, type Role, roles } from '@payments/domain/roles';
import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';
import { readId, readOneOf } from '../field-values.ts';

/**
 * Reads the role of a key or an account, and the store that it belongs to.
 * @throws ApiError 400 for an unknown role, a store's role without a store, a platform's with one
 */
export function readRole({ role: given, storeId }: { role: unknown; storeId?: unknown }): {
  role: Role;
  storeId: string | null;
} {
  const role = readOneOf('role', given, roles);
  const isGiven = storeId !== undefined && storeId !== null;
  if (isStoreRole(role) && !isGiven) throw wrongField('storeId', rules.notEmpty);
  if (!isStoreRole(role) && isGiven) throw wrongField('storeId', rules.empty);
  return { role, storeId: isGiven ? readId('storeId', storeId) : null };
}
