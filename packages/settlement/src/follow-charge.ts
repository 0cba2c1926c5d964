import { closeCharge, postponeCharge, recordRegistration } from '@payments/database/charges';
import { findPayment, type StoredPayment } from '@payments/database/payments';
import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import { PixRefused } from '@payments/pix/errors';
import type { SettlementContext } from './context.ts';
import { registerCharge } from './register-charge.ts';
import { settleCharge } from './settle-charge.ts';

const longestPauseMs = 30_000;

/** Brings a charge at the PSP to what the payment needs: registered, or withdrawn. A failure puts it off. */
export async function followCharge(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, log, now } = context;
  try {
    if (payment.chargeState === 'unregistered') await register(context, payment);
    else await withdraw(context, payment);
  } catch (error) {
    const pauseMs = Math.min(longestPauseMs, 500 * 2 ** Math.min(payment.chargeTries, 10));
    await postponeCharge(db, payment.id, new Date(now().getTime() + pauseMs));
    log.warn(
      { err: error, paymentId: payment.id, requestId: payment.requestId },
      'the PSP did not take a charge; trying again',
    );
  }
}

async function register(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, pix, log, now } = context;
  // Too late to be paid; the expiry scan ends it.
  if (payment.expiresAt <= now()) return closeCharge(db, payment.id);
  // Under an Idempotency-Key a try may be older than the payment, and no older than its id.
  const triedSince = createdAtOf(payment.id);
  const copyAndPaste = await registerCharge(pix, { ...payment, triedSince }, now());
  if (await recordRegistration(db, payment.id, copyAndPaste)) {
    log.info({ paymentId: payment.id, requestId: payment.requestId }, 'charge registered');
    return;
  }
  const current = await findPayment(db, payment.id);
  // Cancelled while the PSP was being asked.
  if (current?.status === 'not_approved') await withdraw(context, current);
}

async function withdraw(context: SettlementContext, payment: StoredPayment): Promise<void> {
  const { db, pix } = context;
  const txid = txidOf(payment.id);
  const charge = await pix.cancelCharge(txid).catch(async (error: unknown) => {
    // Paid or removed meanwhile: a charge that is not active can't be cancelled, but it can be read.
    if (error instanceof PixRefused) return pix.getCharge(txid);
    throw error;
  });
  if (charge && charge.pix.length > 0) await settleCharge(context, payment.id, charge);
  await closeCharge(db, payment.id);
}
