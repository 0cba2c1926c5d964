import t from 'tap';
import { isStoreRole, may, type Operation, operations, roles } from '../src/roles.ts';

/** The table of the contract: a column is a role, in the order of `roles`. */
const table: Record<Operation, string> = {
  readPayments: '✓ ✓ ✓ ✓ ✓ ✓',
  exportRows: '✓ ✓ ✓ - ✓ -',
  reconcile: '✓ ✓ ✓ - - -',
  refundUnmatched: '✓ ✓ ✓ - - -',
  orderRefund: '✓ ✓ ✓ - ✓ -',
  changeStatus: '✓ ✓ - - - -',
  createPayment: '✓ ✓ - - ✓ -',
  readStores: '✓ ✓ ✓ ✓ ✓ ✓',
  changeStores: '✓ ✓ - - - -',
  chooseForStore: '✓ ✓ - - ✓ -',
  readBanks: '✓ ✓ ✓ ✓ - -',
  pauseBank: '✓ ✓ - - - -',
  readOverview: '✓ ✓ ✓ ✓ - -',
  readProblems: '✓ ✓ ✓ ✓ - -',
  manageTokens: '✓ ✓ - - ✓ -',
  manageWebhookSecret: '✓ ✓ - - ✓ -',
  redeliver: '✓ ✓ - - ✓ -',
  readEndpoints: '✓ ✓ ✓ ✓ ✓ ✓',
  releaseEndpoint: '✓ ✓ - - - -',
  manageAccounts: '✓ - - - - -',
  manageKeys: '✓ - - - - -',
  erasePersons: '✓ - - - - -',
  readNotices: '✓ ✓ - - - -',
  readRecord: '✓ ✓ ✓ - - -',
  readStoreRecord: '✓ ✓ ✓ - ✓ -',
};

t.strictSame(new Set(Object.keys(table)), new Set(operations), 'every operation is in the table');
for (const [operation, row] of Object.entries(table)) {
  const found = roles.map((role) => (may(role, operation as Operation) ? '✓' : '-')).join(' ');
  t.equal(found, row, operation);
}
t.strictSame(roles.filter(isStoreRole), ['store_admin', 'store_viewer']);
