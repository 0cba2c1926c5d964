import type { StoredPayment } from '@payments/database/payments/payments';
import { type PaymentReadView, paymentReadView } from '@payments/domain/payment';

/** @returns a payment in a list of the administration: as its store reads it, and its bank */
export function foundView(
  payment: StoredPayment,
  publicUrl: string,
): PaymentReadView & { bank: string | null } {
  return { ...paymentReadView(payment, publicUrl), bank: payment.bank };
}
