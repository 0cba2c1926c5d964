import { createHash } from 'node:crypto';
import { findBinding, reserveKey } from '@payments/database/payments/idempotency-keys';
import { findByReference, findPayment, type StoredPayment } from '@payments/database/payments/payments';
import {
  findPaymentsWithPix,
  findPaymentWithPix,
  type PaymentWithPix,
} from '@payments/database/payments/with-pix';
import type { Author } from '@payments/database/record/changes';
import type { Store } from '@payments/database/stores/stores';
import { createdAtOf, newId } from '@payments/domain/identifiers';
import {
  includedView,
  type Payment,
  type PaymentCreatedView,
  paymentCreatedView,
  paymentReadView,
} from '@payments/domain/payment';
import { beginPayment } from '@payments/settlement/charges/begin-payment';
import { decide, TransitionRefused } from '@payments/settlement/decide';
import type { StoreToken } from '@payments/settlement/store-token';
import { webhookPolicy } from '@payments/webhooks/settings';
import type { CreationContext, Log } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { type PaymentRequest, readPaymentRequest } from './new-payment.ts';

export type Creation = {
  store: Store;
  /** The ids of banks that get no new charges now. */
  pausedBanks: readonly string[];
  request: PaymentRequest;
  /** The administrator who creates the payment; null for a store's request (Contract: creation). */
  by: Author | null;
  idempotencyKey: string | undefined;
  requestId: string;
  log: Log;
};

/**
 * Creates a payment for a store, or finds it (Contract: creation).
 * @returns the payment as its response shows it
 * @throws ApiError 409 if another payment of the store has the reference; 422 if the Idempotency-Key was used with
 * another body
 */
export async function createPayment(
  context: CreationContext,
  creation: Creation,
): Promise<PaymentCreatedView> {
  const { db, now, publicUrl } = context;
  const { store, pausedBanks, request, by, requestId, log } = creation;
  const identity = await identify(context, creation);
  const existing = await findExisting(context, creation, identity);
  if (existing) return paymentCreatedView(existing, publicUrl);

  const createdAt = now();
  const seconds = request.expiresIn ?? context.chargeExpiresInSeconds;
  const expiresAt = new Date(createdAt.getTime() + seconds * 1_000);
  const times = { createdAt, expiresAt };
  const from = { isPublic: by === null, by, requestId };
  const payment =
    (await beginPayment(context, store, { ...identity, ...request, ...times, ...from, pausedBanks }, log)) ??
    // A concurrent request with the same key or reference was first.
    (await findPayment(db, identity.id, store.id));
  if (!payment) throw errors.referenceTaken();
  return paymentCreatedView(payment, publicUrl);
}

/** The payment's id, and since when an earlier request with the same key may have tried to create it. */
type Identity = { id: string; triedSince?: Date };

async function identify(
  context: CreationContext,
  { store, request, by, idempotencyKey }: Creation,
): Promise<Identity> {
  if (idempotencyKey === undefined) return { id: newId(context.now()) };
  const requestHash = requestHashOf(request, by === null);
  const now = context.now();
  const reservation = { storeId: store.id, key: idempotencyKey, requestHash, paymentId: newId(now), now };
  const known = await reserveKey(context.db, reservation);
  if (!known.requestHash.equals(requestHash)) throw errors.idempotencyKeyReused();
  const id = known.paymentId;
  if (id === reservation.paymentId) return { id };
  return { id, triedSince: createdAtOf(id) };
}

/** @throws ApiError 409 if the reference is another payment's: no bank is asked for a charge then */
async function findExisting(
  { db }: CreationContext,
  { store, request }: Creation,
  { id, triedSince }: Identity,
): Promise<Payment | undefined> {
  const repeated = triedSince && (await findPayment(db, id, store.id));
  if (repeated || request.reference === null) return repeated;
  const named = await findByReference(db, store.id, request.reference);
  if (named && named.id !== id) throw errors.referenceTaken();
  return named;
}

/**
 * Cancels a store's payment by its token. The bank removes the charge afterwards.
 * @throws ApiError 409 unless the payment is pending; TokenRefused
 */
export async function cancelPayment(
  context: CreationContext,
  { paymentId, by, token }: { paymentId: string; by: Author; token: StoreToken },
): Promise<StoredPayment> {
  const decision = { paymentId, to: 'not_approved', by, token } as const;
  const cancelled = await decide(context, decision).catch((error: unknown) => {
    throw error instanceof TransitionRefused ? errors.notCancellable() : error;
  });
  if (!cancelled) throw errors.paymentNotFound();
  return cancelled;
}

/**
 * Shows payments as their store reads them.
 * @param include `pix` adds the Pix of each; undefined adds nothing
 */
export async function readViews(
  { db, publicUrl }: Pick<CreationContext, 'db' | 'publicUrl'>,
  payments: readonly StoredPayment[],
  include: 'pix' | undefined,
) {
  if (include === undefined) return payments.map((payment) => paymentReadView(payment, publicUrl));
  const found = await findPaymentsWithPix(
    db,
    payments.map(({ id }) => id),
  );
  return found.map((payment) => withPix(payment, publicUrl));
}

/** Shows one payment so. */
export async function readView(
  { db, publicUrl }: Pick<CreationContext, 'db' | 'publicUrl'>,
  payment: StoredPayment,
  include: 'pix' | undefined,
) {
  if (include === undefined) return paymentReadView(payment, publicUrl);
  const found = await findPaymentWithPix(db, payment.id);
  return found && withPix(found, publicUrl);
}

function withPix(payment: PaymentWithPix, publicUrl: string) {
  return { ...paymentReadView(payment, publicUrl), ...includedView(payment) };
}

type CreationBody = {
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
 * was lowered since, or the settings of webhooks became stricter (Contract: creation).
 * @throws ApiError 400 for the first wrong field
 */
export async function readCreation(context: CreationContext, given: CreationBody): Promise<PaymentRequest> {
  try {
    return readPaymentRequest(given.body, { maxAmount: given.maxAmount, webhooks: context.webhooks });
  } catch (error) {
    const request = readByWidestRules(given.body);
    if (request && (await hasMadePayment(context, given, request))) return request;
    throw error;
  }
}

const widestRules = { maxAmount: Number.POSITIVE_INFINITY, webhooks: webhookPolicy('0.0.0.0/0, ::/0') };

/** @returns undefined if no store's maximum and no setting would allow it */
function readByWidestRules(body: unknown): PaymentRequest | undefined {
  try {
    return readPaymentRequest(body, widestRules);
  } catch {
    return undefined;
  }
}

async function hasMadePayment(
  { db, now, storeTurns }: CreationContext,
  { storeId, keyHash: key, isPublic }: CreationBody,
  request: PaymentRequest,
): Promise<boolean> {
  if (storeId === undefined || key === undefined) return false;
  return storeTurns(storeId, async () => {
    const known = await findBinding(db, { storeId, key, now: now() });
    if (!known?.requestHash.equals(requestHashOf(request, isPublic))) return false;
    return (await findPayment(db, known.paymentId, storeId)) !== undefined;
  });
}

/**
 * @returns the hash by which bodies are compared. It differs for an administrator: the same key in both APIs is a 422.
 * Absent fields don't count, so that a field that a release adds leaves the hashes of the release before as they are
 */
function requestHashOf(request: PaymentRequest, isPublic: boolean): Buffer {
  const asked = isPublic ? request : { ...request, isPublic };
  const given = Object.entries(asked).filter(([, value]) => value !== null);
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(given)))
    .digest();
}
