import { type Role, roles } from '@payments/domain/roles';
import t from 'tap';
import { choosableKinds, kindsOf, type NoticeKind, noticeKinds, recipientsOf } from '../src/kinds.ts';

/** The contract's table; a column is a role, in the order of `roles`. + has it by default, o may choose it. */
const table: Record<NoticeKind, string> = {
  review_waiting: '+ + o o + o',
  refund_owed: '+ + + o - -',
  returned_by_bank: '+ o + o + o',
  unmatched_pix: '+ + + o - -',
  endpoint_failing: '+ o o o + o',
  bank_failing: '+ + o o - -',
  reconciliation_differs: '+ o + o - -',
  certificate_expires: '+ + o o - -',
};

function markOf(role: Role, kind: NoticeKind): string {
  if (kindsOf({ role, notices: null }).includes(kind)) return '+';
  return choosableKinds(role).includes(kind) ? 'o' : '-';
}

t.strictSame(Object.keys(table), [...noticeKinds], 'every kind is in the table');
for (const [kind, row] of Object.entries(table))
  t.equal(roles.map((role) => markOf(role, kind as NoticeKind)).join(' '), row, kind);

const [mine, other] = ['store-1', 'store-2'];
const people = [
  { name: 'owner', role: 'owner', storeId: null, active: true, notices: null },
  { name: 'operator', role: 'operator', storeId: null, active: true, notices: null },
  { name: 'left', role: 'operator', storeId: null, active: false, notices: null },
  { name: 'silent', role: 'operator', storeId: null, active: true, notices: [] },
  { name: 'finance', role: 'finance', storeId: null, active: true, notices: null },
  { name: 'curious', role: 'viewer', storeId: null, active: true, notices: ['review_waiting'] },
  { name: 'admin', role: 'store_admin', storeId: mine, active: true, notices: null },
  { name: 'neighbour', role: 'store_admin', storeId: other, active: true, notices: null },
  { name: 'clerk', role: 'store_viewer', storeId: mine, active: true, notices: ['review_waiting'] },
  // Chosen as one of the platform's people, and a store's since.
  { name: 'moved', role: 'store_admin', storeId: mine, active: true, notices: ['refund_owed'] },
] as const;

const cases: [NoticeKind, string | null, string][] = [
  ['review_waiting', mine, 'owner operator curious admin clerk'],
  ['review_waiting', other, 'owner operator curious neighbour'],
  ['refund_owed', mine, 'owner operator finance'],
  ['returned_by_bank', mine, 'owner finance admin'],
  ['returned_by_bank', null, 'owner finance'],
  ['endpoint_failing', other, 'owner neighbour'],
  ['bank_failing', null, 'owner operator'],
  ['reconciliation_differs', null, 'owner finance'],
];
for (const [kind, storeId, names] of cases)
  t.equal(
    recipientsOf(kind, storeId, people)
      .map(({ name }) => name)
      .join(' '),
    names,
    `${kind} of ${storeId}`,
  );
