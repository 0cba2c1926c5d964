import type { Payment } from './payment.ts';
import { isConfirmed } from './status.ts';

/** The figures that a payment adds to the day of its approval; amounts in centavos. */
export type ApprovalFigures = {
  /** 1 if something is left of it. */
  approved: number;
  approvedAmount: number;
  feeAmount: number;
  /** The amount kept at its approval. */
  received: number;
};

type Approved = Pick<Payment, 'status' | 'amount' | 'feeAmount'> & { received: number | null };

/** @returns the figures of a payment that was approved; one that was never approved adds nothing */
export function approvalFigures(payment: Approved): ApprovalFigures {
  const left = payment.received === null ? 0 : leftOfApproved(payment);
  return {
    approved: left > 0 ? 1 : 0,
    approvedAmount: left,
    feeAmount: left > 0 ? (payment.feeAmount ?? 0) : 0,
    received: payment.received ?? 0,
  };
}

/** @returns what is left of a payment that was approved: nothing if all of it went back */
export function leftOfApproved({ status, amount }: Pick<Payment, 'status' | 'amount'>): number {
  return isConfirmed(status) ? amount : 0;
}
