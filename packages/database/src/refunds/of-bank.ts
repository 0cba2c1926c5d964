import type { Queryable } from '../connection.ts';
import { bankOf, type Refund } from './refunds.ts';

/** `ordinal` identifies one of our orders that a restored database lacks; null for the bank's own. */
export type RefundAtBank = Pick<
  Refund,
  'id' | 'endToEndId' | 'paymentId' | 'amount' | 'ordinal' | 'reason' | 'state' | 'rtrId'
> & { madeAt: Date | null; tryAt: Date | null; now: Date };

/** Inserts a refund that only the bank knew: its own (MED, API Pix 2.9 `natureza`), or one of ours. */
export async function insertRefundAtBank(trx: Queryable, refund: RefundAtBank): Promise<void> {
  const { id, endToEndId, paymentId, amount, ordinal, reason, state, rtrId, madeAt, tryAt, now } = refund;
  const origin = ordinal === null ? ('bank' as const) : ('service' as const);
  const about = { id, endToEndId, bank: bankOf(endToEndId), paymentId, ordinal, origin, reason };
  const progress = { amount, wanted: amount, state, rtrId, madeAt, tryAt, createdAt: now, updatedAt: now };
  await trx
    .insertInto('refunds')
    .values({ ...about, ...progress })
    .onConflict((oc) => oc.columns(['endToEndId', 'id']).doNothing())
    .execute();
}
