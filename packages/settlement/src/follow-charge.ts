import { closeCharge, postponeCharge, recordRegistration } from '@payments/database/charges/charges';
import { endChargeProblem, recordChargeProblem } from '@payments/database/charges/problems';
import { expectUnheard, forgetUnheard } from '@payments/database/charges/unheard-charges';
import type { StoredPayment } from '@payments/database/payments/payments';
import { findStore } from '@payments/database/stores/stores';
import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import type { PixRefused } from '@payments/pix/errors';
import type { BankContext } from './context.ts';
import { closingTime } from './expire.ts';
import { isVerdict } from './failures.ts';
import { type Pauses, tryAgainAt } from './pause.ts';
import { registerCharge } from './register-charge.ts';
import { settleCharge } from './settle-charge.ts';

const registering = { firstMs: 1_000, longestMs: 30_000 };
const cancelling = { firstMs: 1_000, longestMs: 60 * 60_000 };

/** Registers a payment's charge at this bank, which may take it. A failure reschedules it. */
export async function registerLate(context: BankContext, payment: StoredPayment): Promise<void> {
  const again = { pauses: registering, says: 'the PSP did not take a charge; trying again' };
  await register(context, payment).catch((error: unknown) => postpone(context, payment, error, again));
}

/** Withdraws a cancelled payment's charge from its bank. A failure reschedules it. */
export async function withdrawCharge(context: BankContext, payment: StoredPayment): Promise<void> {
  const again = { pauses: cancelling, says: 'the PSP did not withdraw a charge; trying again' };
  await withdraw(context, payment).catch(async (error: unknown) => {
    if (error instanceof CancellationRefused) await recordRefusal(context, payment, error);
    await postpone(context, payment, error, again);
  });
}

async function postpone(
  { db, log, now, bank }: BankContext,
  { id: paymentId, chargeTries, requestId }: StoredPayment,
  error: unknown,
  { pauses, says }: { pauses: Pauses; says: string },
): Promise<void> {
  await postponeCharge(db, paymentId, tryAgainAt(chargeTries, now(), pauses));
  log.warn({ err: error, paymentId, bank, requestId }, says);
}

/** The PSP keeps a cancelled charge active: it can still be paid. */
class CancellationRefused extends Error {
  override readonly name = 'CancellationRefused';
}

function recordRefusal({ db, now, bank }: BankContext, { id: paymentId }: StoredPayment, error: Error) {
  const about = { bank, txid: txidOf(paymentId), work: 'cancel' as const, paymentId };
  return recordChargeProblem(db, { ...about, error: error.message, now: now() });
}

async function register(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, pix, log, now } = context;
  const { id: paymentId, requestId } = payment;
  // Too late to be paid; the expiry scan closes it.
  if (payment.expiresAt <= now()) return closeCharge(db, paymentId);
  // With an Idempotency-Key, an earlier try may be older than the payment, but not than its id.
  const triedSince = createdAtOf(paymentId);
  const store = await findStore(db, payment.storeId);
  const terms = { ...payment, storeName: store?.name ?? '', triedSince };
  // Another bank may take the payment if this process dies, or the payment may be cancelled meanwhile.
  const unheard = { paymentId, bank, askedAt: now() };
  await expectUnheard(db, [unheard]);
  const copyAndPaste = await registerCharge(pix, terms, now()).catch(async (error: unknown) => {
    if (isVerdict(error)) await settleIfPaid(context, paymentId);
    throw error;
  });
  if (!(await recordRegistration(db, paymentId, { bank, copyAndPaste, now: now() }))) return;
  await forgetUnheard(db, unheard);
  log.info({ paymentId, bank, requestId }, 'charge registered');
}

/** A bank that holds a paid charge of an earlier try refuses to set it again. The payment is this bank's then. */
async function settleIfPaid(context: BankContext, paymentId: string): Promise<void> {
  const charge = await context.pix.getCharge(txidOf(paymentId));
  if (charge && charge.pix.length > 0) await settleCharge(context, paymentId, charge);
}

async function withdraw(context: BankContext, payment: StoredPayment): Promise<void> {
  const { db, bank, pix } = context;
  const { id } = payment;
  const txid = txidOf(id);
  const charge = await pix.cancelCharge(txid).catch(async (error: unknown) => {
    if (!isVerdict(error)) throw error;
    return readRefused(context, payment, error);
  });
  if (charge && charge.pix.length > 0) await settleCharge(context, id, charge);
  await closeCharge(db, id);
  await endChargeProblem(db, { bank, txid, work: 'cancel' });
}

/** Reads a charge whose cancellation the PSP refused: it may be paid or removed. */
async function readRefused(
  context: BankContext,
  payment: StoredPayment,
  refusal: PixRefused,
): Promise<Charge | null> {
  const charge = await context.pix.getCharge(txidOf(payment.id));
  const canBePaid = closingTime(context, payment) > context.now();
  if (charge?.status === 'ATIVA' && canBePaid) throw new CancellationRefused(refusal.message);
  if (charge?.status === 'CONCLUIDA' && charge.pix.length === 0)
    throw new CancellationRefused('the PSP says that the charge is paid, and shows no Pix');
  return charge;
}
