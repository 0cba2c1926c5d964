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
  /** The store's own name for the payment. */
  reference: string | null;
  /** The seconds to pay that the store asked for; null for the service's default. */
  expiresIn: number | null;
  /** The store's words to the payer. */
  description: string | null;
  createdAt: Date;
};

/** A payment in webhooks: without `webhookUrl` (Contract: payment). */
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

/** Fields that only payments created with them show (Contract: optional fields). */
export type OptionalFields = { reference?: string; expiresIn?: number; description?: string };

/** A payment in the create response (Contract: payment). */
export type PaymentCreatedView = PaymentView & OptionalFields;

/** A payment in read responses (Contract: payment). */
export type PaymentReadView = PaymentCreatedView & { webhookUrl: string | null };

/**
 * @param publicUrl base address of the QR image, without a trailing slash
 * @returns the payment's fields in webhooks, with amounts in reais (Contract: payment)
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

/** @returns the payment's fields in the create response */
export function paymentCreatedView(payment: Payment, publicUrl: string): PaymentCreatedView {
  return { ...paymentView(payment, publicUrl), ...optionalFields(payment) };
}

/** @returns the payment's fields in read responses, with `webhookUrl` */
export function paymentReadView(payment: Payment, publicUrl: string): PaymentReadView {
  return {
    ...paymentView(payment, publicUrl),
    webhookUrl: payment.webhookUrl,
    ...optionalFields(payment),
  };
}

/** The Pix that came for a payment, and what went back of all of them; amounts in centavos. */
export type PixOfPayment = {
  refundedAmount: number;
  pix: readonly { endToEndId: string; amount: number; paidAt: Date }[];
};

/** The fields that reads add on demand (Contract: reading). */
export type IncludedView = {
  refundedAmount: number;
  pix: { endToEndId: string; amount: number; paidAt: string }[];
};

/** @returns the fields that reads with `include=pix` add, with amounts in reais */
export function includedView({ refundedAmount, pix }: PixOfPayment): IncludedView {
  return {
    refundedAmount: reaisFrom(refundedAmount),
    pix: pix.map(({ endToEndId, amount, paidAt }) => ({
      endToEndId,
      amount: reaisFrom(amount),
      paidAt: paidAt.toISOString(),
    })),
  };
}

function optionalFields({ reference, expiresIn, description }: Payment): OptionalFields {
  return {
    ...(reference !== null && { reference }),
    ...(expiresIn !== null && { expiresIn }),
    ...(description !== null && { description }),
  };
}
