import { postponeExpiry } from '@payments/database/charges/charges';
import { endChargeProblem, findChargeTold, recordChargeProblem } from '@payments/database/charges/problems';
import { listUnmatchedOf } from '@payments/database/charges/unmatched-pix';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { inTransaction } from '@payments/database/transaction';
import { type BankErrorCode, BankFailure, bankErrorOf } from '@payments/domain/bank-error';
import { txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import { isNotAsked, nextLook, tryAgainAt } from '../answers.ts';
import { movePayment } from '../balance.ts';
import type { BankContext, SettlementContext } from '../context.ts';
import { notOnRecord } from '../pix/on-record.ts';
import { settleSeen } from '../pix/settle-charge.ts';

const retry = { firstMs: 15_000, longestMs: 60 * 60_000 };

/**
 * Closes a payment whose charge has expired, after a last question to the PSP whether it was paid. A payment whose
 * check comes earlier, as a restore asks for, is closed if its charge was removed at the PSP. A failed check is shown
 * and repeated with growing pauses. Until then the payment stays pending.
 */
export async function expirePayment(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, log, now, pix } = context;
  const { id: paymentId } = payment;
  const about = { bank, txid: txidOf(paymentId), work: 'expire' as const };
  let charge: Charge | null = null;
  try {
    charge = await pix.getCharge(about.txid);
    const lookAt = await check(context, payment, charge);
    if (lookAt) await postponeExpiry(db, paymentId, lookAt);
    else await endChargeProblem(db, about);
  } catch (error) {
    if (isNotAsked(error)) throw error;
    const at = now();
    const failed = { ...about, paymentId, error: bankErrorOf(error), now: at, isShown: charge !== null };
    const { tries } = await recordChargeProblem(db, failed);
    await postponeExpiry(db, paymentId, tryAgainAt(tries, at, retry));
    log.warn({ err: error, paymentId, tries }, 'a charge could not be checked; trying again');
  }
}

/**
 * @returns when to look again, while the PSP's word is not believed yet
 * @throws if the PSP contradicts itself, or does not know a charge that could still be paid
 */
async function check(
  context: BankContext,
  payment: StoredPayment,
  charge: Charge | null,
): Promise<Date | undefined> {
  const { id: paymentId, expiresAt } = payment;
  if (charge) await settlePaid(context, paymentId, charge);
  const [now, closesAt] = [context.now(), closingTime(context, payment)];
  if (!charge && closesAt > now) throw new BankFailure({ code: 'charge_unknown' });
  // After its expiry nobody could pay it: its closing time comes soon.
  const isRemoved = charge !== null && isRemovedCharge(charge) && expiresAt > now;
  if (charge && !isRemoved && closesAt > now) {
    await postponeExpiry(context.db, paymentId, closesAt);
    return undefined;
  }
  // The bank confirmed it, and its charge does not show it yet: nobody is told that it was not paid.
  if ((await listUnmatchedOf(context.db, context.bank, txidOf(paymentId))).length > 0)
    throw new BankFailure({ code: 'pix_not_in_charge' });
  const code = await doubtOf(context, paymentId, { charge, isRemoved });
  const lookAt = code && (await nextLook(context, { paymentId, work: 'expire', error: { code } }));
  if (lookAt) return lookAt;
  await close(context, payment, isRemoved ? 'removed_at_bank' : 'expired');
  return undefined;
}

/** @returns why one answer is not believed that shows no Pix: a callback or a list may have told of one */
async function doubtOf(
  context: BankContext,
  paymentId: string,
  { charge, isRemoved }: { charge: Charge | null; isRemoved: boolean },
): Promise<BankErrorCode | undefined> {
  if (!charge) return 'charge_unknown';
  if (isRemoved) return 'charge_removed';
  const txid = txidOf(paymentId);
  const told = await findChargeTold(context.db, { bank: context.bank, txid });
  const isToldOf = told !== undefined && (await notOnRecord(context, [{ ...told, txid }])).length > 0;
  return isToldOf ? 'pix_not_in_charge' : undefined;
}

/** Whoever removed it, the receiver or the PSP: nobody can pay it any more. */
const isRemovedCharge = ({ status, pix }: Charge) => status.startsWith('REMOVIDA_') && pix.length === 0;

/** @throws if the PSP contradicts itself, or shows a Pix that can't be read */
async function settlePaid(context: BankContext, paymentId: string, charge: Charge): Promise<void> {
  const settled = await settleSeen(context, paymentId, charge);
  if (settled && settled.misplaced.length > 0) throw new BankFailure({ code: 'pix_of_another_payment' });
  if (charge.oddPix) throw new BankFailure({ code: 'pix_unreadable' });
  if (charge.status === 'CONCLUIDA' && charge.pix.length === 0)
    throw new BankFailure({ code: 'paid_without_pix' });
}

/**
 * Closes a payment whose time to pay is over. Of one whose charge no bank has taken there is nobody to ask; it stays if
 * one takes it meanwhile.
 */
export async function closePending(
  context: SettlementContext,
  payment: Pick<StoredPayment, 'id' | 'bank' | 'expiresAt'>,
): Promise<void> {
  if (closingTime(context, payment) <= context.now()) await close(context, payment, 'expired');
}

async function close(
  context: SettlementContext,
  { id, bank }: Pick<StoredPayment, 'id' | 'bank'>,
  reason: 'expired' | 'removed_at_bank',
): Promise<void> {
  await inTransaction(context.db, async (trx) => {
    const payment = await lockPayment(trx, id);
    if (payment?.status !== 'pending' || payment.bank !== bank) return;
    const { requestId, charged: amount } = payment;
    const why = { actor: 'expiry', reason, requestId };
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
