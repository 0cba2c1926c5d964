import t from 'tap';
import { approvalFigures } from '../src/figures.ts';
import type { PaymentStatus } from '../src/status.ts';

type Row = [
  status: PaymentStatus,
  amount: number,
  feeAmount: number | null,
  received: number | null,
  expected: [approved: number, approvedAmount: number, feeAmount: number, received: number],
];

const table: Row[] = [
  ['pending', 1000, 10, null, [0, 0, 0, 0]],
  ['review', 1000, 10, null, [0, 0, 0, 0]],
  ['not_approved', 1000, 10, null, [0, 0, 0, 0]],
  ['approved', 1000, 10, 1000, [1, 1000, 10, 1000]],
  ['approved', 700, 7, 1000, [1, 700, 7, 1000]],
  ['paid', 1000, null, 1000, [1, 1000, 0, 1000]],
  // All of it went back: its amount is the charge's again.
  ['not_approved', 1000, 10, 1000, [0, 0, 0, 1000]],
  ['receipt_sent', 0, 0, 1000, [0, 0, 0, 1000]],
];
for (const [status, amount, feeAmount, received, expected] of table) {
  t.test(`${status} ${amount} of ${received}`, async (t) => {
    const figures = approvalFigures({ status, amount, feeAmount, received });
    t.strictSame(Object.values(figures), expected);
  });
}
