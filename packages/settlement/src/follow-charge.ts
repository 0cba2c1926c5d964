import { closeCharge, postponeCharge, recordRegistration } from '@payments/database/charges/charges';
import { endChargeProblem, recordChargeProblem } from '@payments/database/charges/problems';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { findStore } from '@payments/database/stores/stores';
import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';
import type { SettlementContext } from './context.ts';
import { closingTime } from './expire.ts';
import { tryAgainAt } from './pause.ts';
import { registerCharge } from './register-charge.ts';
import { settleCharge } from './settle-charge.ts';

const registering = { firstMs: 1_000, longestMs: 30_000 };
const cancelling = { firstMs: 1_000, longestMs: 60 * 60_000 };

/** Registers or withdraws a payment's charge at the PSP. A failure reschedules it. */
export async function followCharge(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, log, now } = context;
  const isRegistration = payment.chargeState === 'unregistered';
  try {
    if (isRegistration) await register(context, payment);
    else await withdraw(context, payment);
  } catch (error) {
    if (error instanceof CancellationRefused) await recordRefusal(context, payment, error);
    const pauses = isRegistration ? registering : cancelling;
    await postponeCharge(db, payment.id, tryAgainAt(payment.chargeTries, now(), pauses));
    log.warn(
      { err: error, paymentId: payment.id, requestId: payment.requestId },
      'the PSP did not take a charge; trying again',
    );
  }
}

/** The PSP keeps a cancelled charge active: it can still be paid. */
class CancellationRefused extends Error {
  override readonly name = 'CancellationRefused';
}

function recordRefusal({ db, now }: SettlementContext, { id: paymentId }: StoredPayment, error: Error) {
  const about = { txid: txidOf(paymentId), work: 'cancel' as const, paymentId };
  return recordChargeProblem(db, { ...about, error: error.message, now: now() });
}

async function register(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, pix, log, now } = context;
  // Too late to be paid; the expiry scan closes it.
  if (payment.expiresAt <= now()) return closeCharge(db, payment.id);
  // With an Idempotency-Key, an earlier try may be older than the payment, but not than its id.
  const triedSince = createdAtOf(payment.id);
  const store = await findStore(db, payment.storeId);
  const terms = { ...payment, storeName: store?.name ?? '', triedSince };
  const copyAndPaste = await registerCharge(pix, terms, now());
  if (await recordRegistration(db, payment.id, copyAndPaste)) {
    log.info({ paymentId: payment.id, requestId: payment.requestId }, 'charge registered');
    return;
  }
  const current = await findPayment(db, payment.id);
  // The payment was cancelled while the PSP was being asked.
  if (current?.status === 'not_approved') await withdraw(context, current);
}

async function withdraw(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, pix } = context;
  const { id } = payment;
  const txid = txidOf(id);
  const charge = await pix.cancelCharge(txid).catch(async (error: unknown) => {
    if (!(error instanceof PixRefused) || error.aboutAccess) throw error;
    return readRefused(context, payment, error);
  });
  if (charge && charge.pix.length > 0) await settleCharge(context, id, charge);
  await closeCharge(db, id);
  await endChargeProblem(db, txid, 'cancel');
}

/** Reads a charge whose cancellation the PSP refused: it may be paid or removed. */
async function readRefused(
  context: SettlementContext,
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
