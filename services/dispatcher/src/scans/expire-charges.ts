import { claimExpired } from '@payments/database/charges/charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { SettlementContext } from '@payments/settlement/context';
import { closePending, expirePayment } from '@payments/settlement/expire';
import pLimit from 'p-limit';
import { atThePsp, type BankScan, isAnswering, type Scan } from './scan.ts';

const { claimed: limit, atOnce, leaseMs } = atThePsp;

/** Closes payments whose charge at a bank expired unpaid (Contract: transitions). */
export const expireCharges: BankScan = async (context) => {
  const expired = await claimExpired(context.db, { bank: context.bank, limit, leaseMs, now: context.now() });
  await closeEach(context, expired, (payment) => expirePayment(context, payment));
  return expired.length === limit && isAnswering(context);
};

/** Closes payments whose charge no bank registered in time. */
export const expireUnregistered: Scan = async (context) => {
  const expired = await claimExpired(context.db, { bank: null, limit, leaseMs, now: context.now() });
  await closeEach(context, expired, (payment) => closePending(context, payment));
  return expired.length === limit;
};

async function closeEach(
  { log }: SettlementContext,
  expired: readonly StoredPayment[],
  close: (payment: StoredPayment) => Promise<void>,
): Promise<void> {
  await pLimit(atOnce).map(expired, (payment) =>
    close(payment).catch((error: unknown) =>
      log.warn({ err: error, paymentId: payment.id }, 'an expired charge was not checked'),
    ),
  );
}
