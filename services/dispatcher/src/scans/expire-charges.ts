import { claimExpired } from '@payments/database/charges/charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import { closePending, expirePayment } from '@payments/settlement/charges/expire';
import type { SettlementContext } from '@payments/settlement/context';
import { atThePsp, inBatches, onCharges, type Scan } from './scan.ts';

/** Closes payments whose charge at a bank expired unpaid (Contract: transitions). */
export const expireCharges = onCharges(claimExpired, orLog(expirePayment));

/** Closes payments whose charge no bank registered in time. */
export const expireUnregistered: Scan = inBatches(atThePsp.limit, async (context) => {
  const expired = await claimExpired(context.db, { ...atThePsp, bank: null, now: context.now() });
  await Promise.all(expired.map((payment) => orLog(closePending)(context, payment)));
  return expired.length;
});

function orLog<Context extends SettlementContext>(
  close: (context: Context, payment: StoredPayment) => Promise<void>,
) {
  return (context: Context, payment: StoredPayment) =>
    close(context, payment).catch((error: unknown) =>
      context.log.warn({ err: error, paymentId: payment.id }, 'an expired charge was not checked'),
    );
}
