import { isStoreRole, type Role } from './roles.ts';

export type AccountRole = { role: Role; storeId: string | null };

/**
 * @param change undefined keeps what the account has
 * @returns the account's role and store after the change: a platform's role has no store, and a store's role keeps
 *   the account's store unless another is given; or the reason why not
 */
export function changedRole(
  account: AccountRole,
  change: { role?: Role | undefined; storeId?: string | undefined },
): AccountRole | 'store_missing' | 'store_given' {
  const role = change.role ?? account.role;
  if (!isStoreRole(role)) return change.storeId === undefined ? { role, storeId: null } : 'store_given';
  const storeId = change.storeId ?? account.storeId;
  return storeId === null ? 'store_missing' : { role, storeId };
}
