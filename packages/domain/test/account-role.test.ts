import t from 'tap';
import { type AccountRole, changedRole } from '../src/roles.ts';

const [one, two] = ['store-1', 'store-2'];
const platform: AccountRole = { role: 'finance', storeId: null };
const ofStore: AccountRole = { role: 'store_viewer', storeId: one };

const cases: [AccountRole, Parameters<typeof changedRole>[1], ReturnType<typeof changedRole>][] = [
  [platform, {}, platform],
  [platform, { role: 'owner' }, { role: 'owner', storeId: null }],
  [platform, { role: 'store_admin' }, 'store_missing'],
  [platform, { role: 'store_admin', storeId: two }, { role: 'store_admin', storeId: two }],
  [platform, { storeId: two }, 'store_given'],
  [ofStore, { role: 'store_admin' }, { role: 'store_admin', storeId: one }],
  [ofStore, { storeId: two }, { role: 'store_viewer', storeId: two }],
  [ofStore, { role: 'viewer' }, { role: 'viewer', storeId: null }],
  [ofStore, { role: 'viewer', storeId: two }, 'store_given'],
];
for (const [account, change, expected] of cases)
  t.strictSame(changedRole(account, change), expected, `${account.role} ${JSON.stringify(change)}`);
