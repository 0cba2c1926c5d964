import { claimExpired } from '@payments/database/charges/charges';
import { expirePayment } from '@payments/settlement/expire';
import pLimit from 'p-limit';
import { atThePsp, type Scan } from './scan.ts';

/** Closes payments whose charge expired unpaid (Contract: transitions). */
export const expireCharges: Scan = async (context) => {
  const { claimed: limit, atOnce, leaseMs } = atThePsp;
  const expired = await claimExpired(context.db, { limit, leaseMs, now: context.now() });
  await pLimit(atOnce).map(expired, (payment) =>
    expirePayment(context, payment).catch((error: unknown) =>
      context.log.warn({ err: error, paymentId: payment.id }, 'an expired charge was not checked'),
    ),
  );
  return expired.length === limit && context.pix.breakerState() === 'closed';
};
