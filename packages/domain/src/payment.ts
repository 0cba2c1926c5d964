import { reaisFrom } from './money.ts';
import type { PaymentStatus } from './status.ts';

/** A payment inside the service; amounts in centavos. */
export type Payment = {
  id: string;
  storeId: string;
  status: PaymentStatus;
  amount: number;
  feeAmount: number | null;
  liquidValue: number | null;
  observation: string | null;
  email: string | null;
  webhookUrl: string | null;
  isPublic: boolean;
  copyAndPaste: string | null;
  createdAt: Date;
};

/** A payment in the create response and in webhooks: without `webhookUrl` (Contract: payment). */
export type PaymentView = {
  id: string;
  status: PaymentStatus;
  amount: number;
  feeAmount: number | null;
  liquidValue: number | null;
  storeId: string;
  createdAt: string;
  observation: string | null;
  email: string | null;
  qrCodeUrl: string | null;
  qrCopyPaste: string | null;
  isPublic: boolean;
};

/** A payment in read responses (Contract: payment). */
export type PaymentReadView = PaymentView & { webhookUrl: string | null };

/**
 * @param publicUrl base address of the QR image, without a trailing slash
 * @returns the payment's fields in responses, with amounts in reais (Contract: payment)
 */
export function paymentView(payment: Payment, publicUrl: string): PaymentView {
  return {
    id: payment.id,
    status: payment.status,
    amount: reaisFrom(payment.amount),
    feeAmount: payment.feeAmount === null ? null : reaisFrom(payment.feeAmount),
    liquidValue: payment.liquidValue === null ? null : reaisFrom(payment.liquidValue),
    storeId: payment.storeId,
    createdAt: payment.createdAt.toISOString(),
    observation: payment.observation,
    email: payment.email,
    qrCodeUrl: payment.copyAndPaste === null ? null : `${publicUrl}/qr/${payment.id}.png`,
    qrCopyPaste: payment.copyAndPaste,
    isPublic: payment.isPublic,
  };
}

/** @returns the payment's fields in read responses, with `webhookUrl` */
export function paymentReadView(payment: Payment, publicUrl: string): PaymentReadView {
  return { ...paymentView(payment, publicUrl), webhookUrl: payment.webhookUrl };
}
