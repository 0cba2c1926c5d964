import type { Database } from '../connection.ts';
import { paymentColumns, type StoredPayment } from './payments.ts';
import { matchingIds, type PaymentSearch, planEachSearch } from './search.ts';

/** @returns the payments found that follow one, newest first; the first ones without it */
export async function readPaymentsAfter(
  db: Database,
  search: PaymentSearch,
  { after, limit }: { after: StoredPayment | undefined; limit: number },
): Promise<StoredPayment[]> {
  return db.transaction().execute(async (trx) => {
    await planEachSearch(trx);
    const matching = await matchingIds(trx, search);
    const next = after ? matching.where('id', '<', after.id) : matching;
    return trx
      .selectFrom('payments')
      .select(paymentColumns)
      .where('id', 'in', next.orderBy('id', 'desc').limit(limit))
      .orderBy('id', 'desc')
      .execute();
  });
}
