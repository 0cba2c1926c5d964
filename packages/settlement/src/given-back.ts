import type { Queryable } from '@payments/database/connection';
import type { StoredPayment } from '@payments/database/payments/payments';
import { setGivenBack } from '@payments/database/refunds/claims';
import type { Refund } from '@payments/database/refunds/refunds';
import { decideGivenBack, leftOfApproved } from '@payments/domain/given-back';
import { counted, type PixKept } from '@payments/domain/refunds';

/** Stores what the returns of an approved payment took from it, for its store's statement. */
export async function storeGivenBack(
  trx: Queryable,
  payment: StoredPayment,
  { pix, refunds }: { pix: readonly PixKept[]; refunds: readonly Refund[] },
): Promise<void> {
  const { received } = payment;
  if (received === null) return;
  const ids = new Set(counted(pix).map(({ endToEndId }) => endToEndId));
  const made = refunds.filter(({ state, endToEndId }) => state === 'refunded' && ids.has(endToEndId));
  const decided = decideGivenBack({ received, left: leftOfApproved(payment) }, made);
  for (const refund of decided) await setGivenBack(trx, refund, refund.givenBack);
}
