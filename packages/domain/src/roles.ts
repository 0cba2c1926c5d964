/** The roles, and what each may do (Contract: roles). */

export const platformRoles = ['owner', 'operator', 'finance', 'viewer'] as const;
export const storeRoles = ['store_admin', 'store_viewer'] as const;
export const roles = [...platformRoles, ...storeRoles] as const;

export type Role = (typeof roles)[number];
export type StoreRole = (typeof storeRoles)[number];

/** @returns whether the role is one of a single store's people */
export function isStoreRole(role: Role): role is StoreRole {
  return (storeRoles as readonly Role[]).includes(role);
}

const everyone = roles;
const platform = platformRoles;
const books = ['owner', 'operator', 'finance'] as const;
const operators = ['owner', 'operator'] as const;
const owners = ['owner'] as const;

/** The roles that may do each operation. A store's roles may do it with what is their store's, and with nothing else. */
const allowed = {
  readPayments: everyone,
  exportRows: [...books, 'store_admin'],
  reconcile: books,
  refundUnmatched: books,
  orderRefund: [...books, 'store_admin'],
  changeStatus: operators,
  createPayment: [...operators, 'store_admin'],
  readStores: everyone,
  changeStores: operators,
  chooseForStore: [...operators, 'store_admin'],
  readBanks: platform,
  pauseBank: operators,
  readOverview: platform,
  readProblems: platform,
  manageTokens: [...operators, 'store_admin'],
  manageWebhookSecret: [...operators, 'store_admin'],
  redeliver: [...operators, 'store_admin'],
  readEndpoints: everyone,
  releaseEndpoint: operators,
  manageAccounts: owners,
  manageKeys: owners,
  erasePersons: owners,
  readNotices: operators,
  readRecord: books,
  readStoreRecord: [...books, 'store_admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Operation = keyof typeof allowed;

export const operations = Object.keys(allowed) as Operation[];

/** @returns whether the role may do the operation; a store's role, with what is its store's */
export function may(role: Role, operation: Operation): boolean {
  return (allowed[operation] as readonly Role[]).includes(role);
}

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
