import { postponeExpiry } from '@payments/database/charges/charges';
import { endChargeProblem, recordChargeProblem } from '@payments/database/charges/problems';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { inTransaction } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import type { BankContext, SettlementContext } from './context.ts';
import { isNotAsked, messageOf } from './failures.ts';
import { movePayment } from './move-payment.ts';
import { tryAgainAt } from './pause.ts';
import { settleCharge } from './settle-charge.ts';

const retry = { firstMs: 15_000, longestMs: 60 * 60_000 };

/**
 * Closes a payment whose charge has expired, after a last question to the PSP whether it was paid. A failed check is
 * shown and repeated with growing pauses. Until then the payment stays pending.
 */
export async function expirePayment(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, log, now } = context;
  const { id: paymentId } = payment;
  const about = { bank, txid: txidOf(paymentId), work: 'expire' as const };
  try {
    await expire(context, payment);
    await endChargeProblem(db, about);
  } catch (error) {
    if (isNotAsked(error)) throw error;
    const at = now();
    const failed = { ...about, paymentId, error: messageOf(error), now: at };
    const tries = await recordChargeProblem(db, failed);
    await postponeExpiry(db, paymentId, tryAgainAt(tries, at, retry));
    log.warn({ err: error, paymentId, tries }, 'an expired charge could not be checked; trying again');
  }
}

/** @throws if the PSP can't be asked, or contradicts itself */
async function expire(context: BankContext, payment: StoredPayment): Promise<void> {
  const { id } = payment;
  const charge = await context.pix.getCharge(txidOf(id));
  if (charge?.status === 'CONCLUIDA' && charge.pix.length === 0) {
    throw new Error('the PSP says that the charge is paid, and shows no Pix');
  }
  const settled = charge && charge.pix.length > 0 ? await settleCharge(context, id, charge) : undefined;
  if (settled && settled.misplaced.length > 0) {
    throw new Error('the PSP shows a Pix that stands on another payment');
  }
  await closePending(context, payment);
}

/**
 * Closes a payment whose time to pay is over. Of one whose charge no bank has taken there is nobody to ask; it stays if
 * one takes it meanwhile.
 */
export async function closePending(
  context: SettlementContext,
  { id, bank }: Pick<StoredPayment, 'id' | 'bank'>,
): Promise<void> {
  await inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, id);
    if (payment?.status !== 'pending' || closingTime(context, payment) > context.now()) return;
    if (payment.bank !== bank) return;
    const { requestId, charged: amount } = payment;
    const why = { actor: 'expiry', reason: 'expired', requestId };
    await movePayment(trx, context, { payment, to: 'not_approved', amount, ...why });
  });
}

/** @returns when an unpaid charge is closed: some time after its expiry, since a Pix may be seen late */
export function closingTime(
  { chargeGraceSeconds }: Pick<SettlementContext, 'chargeGraceSeconds'>,
  { expiresAt }: { expiresAt: Date },
): Date {
  return new Date(expiresAt.getTime() + chargeGraceSeconds * 1_000);
}
