import { isConfirmed, type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { sql } from 'kysely';
import t from 'tap';
import { addPayment, addStore, openDatabase } from '../rows.ts';

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

// The view knows the statuses that confirm money by name.
for (const status of paymentStatuses)
  table.push([status, 1000, 10, 1000, isConfirmed(status) ? [1, 1000, 10, 1000] : [0, 0, 0, 1000]]);

t.test('a payment’s figures on the day of its approval', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  for (const [status, amount, feeAmount, received, expected] of table) {
    const id = await addPayment(db, storeId);
    const approvedAt = received === null ? null : new Date();
    await db
      .updateTable('payments')
      .set({ status, amount, feeAmount, received, approvedAt })
      .where('id', '=', id)
      .execute();
    const { rows } = await sql<Record<string, number>>`
      select sum(approved)::int as a, sum(approved_amount)::int as b, sum(fee_amount)::int as c, sum(received)::int as d
      from figures where payment_id = ${id}`.execute(db);
    t.strictSame(Object.values(rows[0]!), expected, `${status} ${amount} of ${received}`);
  }
});
