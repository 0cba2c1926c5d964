import type { PaymentStatus } from '@payments/domain/status';
import type { Database, Queryable } from '../connection.ts';
import { given } from '../filters.ts';
import { type Backlog, readBacklog } from './backlog.ts';

/** The figures of the overview, for administrators; amounts in centavos. */
export type Overview = { payments: Partial<Record<PaymentStatus, number>>; backlog: Backlog };

/** @returns payments by status, and the backlog */
export async function readOverview(db: Database, now: Date): Promise<Overview> {
  return { payments: await countByStatus(db), backlog: await readBacklog(db, { now }) };
}

/** @returns the payments by status, of all stores or of one */
export async function countByStatus(db: Queryable, storeId?: string): Promise<Overview['payments']> {
  const counts = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => ['status', fn.sum<string>('payments').as('total')])
    .where(({ and }) => and(given({ storeId })))
    .groupBy('status')
    .execute();
  return Object.fromEntries(counts.map(({ status, total }) => [status, Number(total)]));
}
