import type { PaymentStatus } from '@payments/domain/status';
import type { Database } from '../connection.ts';
import { type Backlog, readBacklog } from './backlog.ts';

/** The figures of the overview, for administrators; amounts in centavos. */
export type Overview = { payments: Partial<Record<PaymentStatus, number>>; backlog: Backlog };

/** @returns payments by status, and the backlog */
export async function readOverview(db: Database, now: Date): Promise<Overview> {
  const counts = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => ['status', fn.sum<string>('payments').as('total')])
    .groupBy('status')
    .execute();
  const payments = Object.fromEntries(counts.map(({ status, total }) => [status, Number(total)]));
  return { payments, backlog: await readBacklog(db, { now }) };
}
