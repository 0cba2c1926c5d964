import type { PaymentStatus } from '@payments/domain/status';
import type { Queryable } from '../connection.ts';
import { given } from '../filters.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

/** Selects payments of a store, in a status; all of those without the filter. */
export type PaymentFilter = KindFilter & {
  storeId?: string | undefined;
  status?: PaymentStatus | undefined;
};

/** @returns how many payments match: a sum of counts, at the same cost for any number of payments */
export async function countPayments(
  db: Queryable,
  { storeId, status, test }: PaymentFilter,
): Promise<number> {
  const { total } = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => fn.sum<string | null>('payments').as('total'))
    .where(({ and }) => and(given({ storeId, status })))
    .where(isOfKind(test, { store: 'storeId' }))
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}

export type CountsByStatus = Partial<Record<PaymentStatus, number>>;

/** @returns the payments by status, of all stores, of a kind of them, or of one */
export async function countByStatus(
  db: Queryable,
  { storeId, test }: Pick<PaymentFilter, 'storeId' | 'test'> = {},
): Promise<CountsByStatus> {
  const counts = await db
    .selectFrom('paymentCounts')
    .select(({ fn }) => ['status', fn.sum<string>('payments').as('total')])
    .where(({ and }) => and(given({ storeId })))
    .where(isOfKind(test, { store: 'storeId' }))
    .groupBy('status')
    .execute();
  return Object.fromEntries(counts.map(({ status, total }) => [status, Number(total)]));
}
