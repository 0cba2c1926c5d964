import { createHash } from 'node:crypto';
import { findBinding } from '@payments/database/payments/idempotency-keys';
import { findPayment } from '@payments/database/payments/payments';
import type { CreationContext } from '../../context.ts';
import { type PaymentRequest, readPaymentRequest } from './new-payment.ts';

export type CreationBody = {
  body: unknown;
  /** Undefined for a store that does not exist. */
  storeId: string | undefined;
  /** The store's maximum of now, in centavos. */
  maxAmount: number;
  /** False for an administrator's request. */
  isPublic: boolean;
  /** The stored form of the Idempotency-Key. */
  keyHash: string | undefined;
};

/**
 * Reads a creation's body. A request that made a payment stays valid under its Idempotency-Key, though the store's maximum
 * was lowered since (Contract: creation).
 * @throws ApiError 400 for the first wrong field
 */
export async function readCreation(context: CreationContext, given: CreationBody): Promise<PaymentRequest> {
  const { webhooks } = context;
  try {
    return readPaymentRequest(given.body, { maxAmount: given.maxAmount, webhooks });
  } catch (error) {
    const request = readOfAnyAmount(given.body, webhooks);
    if (request && (await hasMadePayment(context, given, request))) return request;
    throw error;
  }
}

/** @returns undefined if more is wrong than the maximum */
function readOfAnyAmount(body: unknown, webhooks: CreationContext['webhooks']): PaymentRequest | undefined {
  try {
    return readPaymentRequest(body, { maxAmount: Number.POSITIVE_INFINITY, webhooks });
  } catch {
    return undefined;
  }
}

async function hasMadePayment(
  { db, now }: CreationContext,
  { storeId, keyHash: key, isPublic }: CreationBody,
  request: PaymentRequest,
): Promise<boolean> {
  if (storeId === undefined || key === undefined) return false;
  const known = await findBinding(db, { storeId, key, now: now() });
  if (!known?.requestHash.equals(requestHashOf(request, isPublic))) return false;
  return (await findPayment(db, known.paymentId, storeId)) !== undefined;
}

/** @returns the hash by which bodies are compared. It differs for an administrator: the same key in both APIs is a 422 */
export function requestHashOf(request: PaymentRequest, isPublic: boolean): Buffer {
  const asked = isPublic ? request : { ...request, isPublic };
  return createHash('sha256').update(JSON.stringify(asked)).digest();
}
