import {
  claimUnheard,
  type DueUnheard,
  firstLookMs,
  forgetUnheard,
  postponeUnheard,
} from '@payments/database/charges/unheard-charges';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import { isSameCode, locationIn } from '@payments/pix/brcode';
import type { Charge } from '@payments/pix/client';
import { isSameKey } from '@payments/pix/keys';
import { isBelieved, isNotAsked, isVerdict, lookPauses as pauses, tryAgainAt } from '../answers.ts';
import type { BankContext } from '../context.ts';
import { settleSeen } from '../pix/settle-charge.ts';
import { endOf } from './register-charge.ts';

const hourMs = 60 * 60_000;

/**
 * Removes charges at this bank that it may have taken without an answer, while the payment became another bank's or
 * ended. Nobody saw their codes; a Pix for one all the same is refunded.
 * @returns how many were looked at
 */
export async function removeUnheard(
  context: BankContext,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<number> {
  const { db, bank, now } = context;
  const due = await claimUnheard(db, { bank, limit, leaseMs, now: now() });
  await Promise.all(due.map((charge) => followUnheard(context, charge)));
  return due.length;
}

async function followUnheard(context: BankContext, charge: DueUnheard): Promise<void> {
  const { db, bank, log, now } = context;
  const { paymentId, tries } = charge;
  try {
    const payment = await findPayment(db, paymentId);
    if (payment?.bank === bank) return await forgetUnheard(db, charge);
    if (!payment && mayComeYet(context, charge)) return await waitLonger(context, charge, hourMs);
    if (payment && isWaiting(payment, now())) return await waitLonger(context, charge, pauses.longestMs);
    const found = payment ? await remove(context, payment) : await removeOfNobody(context, paymentId);
    // The looks begin anew: only answers in a row that do not show it are believed.
    const lookedMs = ageOf(context, charge) - firstLookMs;
    if (found === 'there')
      return await waitLonger(context, { ...charge, tries: 0 }, pauses.longestMs, lookedMs);
    const looks = tries + 1;
    if (found === 'gone' || isBelieved(looks)) return await forgetUnheard(db, charge);
    await postponeUnheard(db, charge, { tryAt: tryAgainAt(looks, now(), pauses), tries: looks });
  } catch (error) {
    await postponeUnheard(db, charge, { tryAt: tryAgainAt(tries, now(), pauses), tries });
    if (!isNotAsked(error))
      log.warn({ err: error, paymentId, bank }, 'a charge that nobody saw was not removed; trying again');
  }
}

/** It may yet become this bank's. */
function isWaiting({ bank, chargeState, expiresAt }: StoredPayment, now: Date): boolean {
  return bank === null && chargeState === 'unregistered' && expiresAt > now;
}

/** The creation may only be slow. One that died may be repeated under its Idempotency-Key for a day. */
const mayComeYet = (context: BankContext, charge: DueUnheard) => ageOf(context, charge) <= 24 * hourMs;

/** `gone`: the bank has nothing (more) of it that could be paid. `hidden`: it does not show the charge. */
type Found = 'gone' | 'hidden' | 'there';

/** Removes a charge of which nobody can make a payment any more. A Pix for it all the same is kept as unmatched. */
async function removeOfNobody(context: BankContext, paymentId: string): Promise<Found> {
  const { pix, now } = context;
  const txid = txidOf(paymentId);
  const found = await pix.getCharge(txid);
  if (found && !isSameKey(pix.key, found.key)) return 'gone';
  const charge = found && (await cancelled(context, txid));
  if (charge === null) return 'hidden';
  return charge.status !== 'ATIVA' || (endOf(charge) ?? 0) <= now().getTime() ? 'gone' : 'there';
}

/** Waits as long again as it has waited so far. */
function waitLonger(
  context: BankContext,
  charge: DueUnheard,
  longestMs: number,
  waitedMs = ageOf(context, charge),
): Promise<void> {
  const pauseMs = Math.min(longestMs, Math.max(pauses.firstMs, waitedMs));
  const tryAt = new Date(context.now().getTime() + pauseMs);
  return postponeUnheard(context.db, charge, { tryAt, tries: charge.tries });
}

const ageOf = ({ now }: BankContext, { askedAt }: DueUnheard) => now().getTime() - askedAt.getTime();

async function remove(context: BankContext, payment: StoredPayment): Promise<Found> {
  const { pix, now } = context;
  const txid = txidOf(payment.id);
  const found = await pix.getCharge(txid);
  if (found === null) return 'hidden';
  const whose = whoseIs(found, { code: payment.copyAndPaste, key: pix.key });
  if (whose === 'payment') return 'gone';
  const isOver = payment.expiresAt < now();
  if (whose === 'unknown') return isOver ? 'gone' : 'there';
  const charge = await cancelled(context, txid);
  if (charge === null) return 'hidden';
  await settleSeen(context, payment.id, charge);
  // It was paid: its Pix is still to come, or to be read.
  if (charge.oddPix || (charge.status === 'CONCLUIDA' && charge.pix.length === 0)) return 'there';
  return charge.status !== 'ATIVA' || isOver ? 'gone' : 'there';
}

/**
 * Two entries of BANKS_FILE may reach one account, where both show the same charge under our txid. Removing it would end
 * the code that the payer has.
 * @param shown the code that was committed, null if nobody saw one; and this entry's own key
 * @returns `payment` for the payment's own charge, `leftover` for one that is provably another
 */
export function whoseIs(
  { copyAndPaste, key }: Pick<Charge, 'copyAndPaste' | 'key'>,
  shown: { code: string | null; key: string },
): 'payment' | 'leftover' | 'unknown' {
  if (!isSameKey(shown.key, key)) return 'payment';
  if (shown.code === null) return 'leftover';
  if (copyAndPaste === null) return 'unknown';
  if (isSameCode(shown.code, copyAndPaste)) return 'payment';
  return locationIn(shown.code) && locationIn(copyAndPaste) ? 'leftover' : 'unknown';
}

/** @returns the charge as the bank has it now; null if it has none */
async function cancelled({ pix }: BankContext, txid: string): Promise<Charge | null> {
  return pix.cancelCharge(txid).catch((error: unknown) => {
    if (!isVerdict(error)) throw error;
    return pix.getCharge(txid);
  });
}
