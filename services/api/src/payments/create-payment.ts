import { createHash } from 'node:crypto';
import { expectUnheard } from '@payments/database/charges/unheard-charges';
import type { Author } from '@payments/database/operations/changes';
import { insertPayment } from '@payments/database/payments/creation';
import { reserveKey } from '@payments/database/payments/idempotency-keys';
import { findByReference, findPayment } from '@payments/database/payments/payments';
import type { Store } from '@payments/database/stores/stores';
import { feesOf } from '@payments/domain/fees';
import { createdAtOf, newId } from '@payments/domain/identifiers';
import {
  type Payment,
  type PaymentCreatedView,
  paymentCreatedView,
  paymentView,
} from '@payments/domain/payment';
import { askForCharge } from '@payments/settlement/ask-for-charge';
import { closingTime } from '@payments/settlement/expire';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '../context.ts';
import { errors } from '../errors/errors.ts';
import type { PaymentRequest } from './new-payment.ts';

export type Creation = {
  store: Store;
  /** The ids of banks that get no new charges now. */
  pausedBanks: readonly string[];
  request: PaymentRequest;
  /** The administrator who creates the payment; null for a store's request (Contract: creation). */
  by: Author | null;
  idempotencyKey: string | undefined;
  requestId: string;
  log: FastifyBaseLogger;
};

/**
 * Creates a payment for a store (Contract: creation). A bank registers the charge first, with the payment's id as
 * txid. Then one statement commits payment and event. A crash in between leaves a charge whose code nobody has.
 * @returns the payment as its response shows it
 * @throws ApiError 409 if another payment of the store has the reference; 422 if the Idempotency-Key was used with
 * another body
 */
export async function createPayment(context: ApiContext, creation: Creation): Promise<PaymentCreatedView> {
  const { db, now, publicUrl } = context;
  const { store, pausedBanks, request, by, requestId } = creation;
  const identity = await identify(context, creation);
  const existing = await findExisting(context, creation, identity);
  if (existing) return paymentCreatedView(existing, publicUrl);

  const createdAt = now();
  const { id, triedSince } = identity;
  const { amount, expiresIn } = request;
  const expiresAt = new Date(createdAt.getTime() + (expiresIn ?? context.chargeExpiresInSeconds) * 1_000);
  const terms = { id, amount, storeId: store.id, storeName: store.name, expiresAt, triedSince };
  const taken = await askForCharge(context, { ...terms, banks: store.banks, pausedBanks }, creation.log);
  const feeTerms = { ppm: store.feePpm, fixed: store.feeFixed };
  const payment: Payment = {
    id,
    storeId: store.id,
    status: 'pending',
    ...request,
    ...feesOf(amount, feeTerms),
    isPublic: by === null,
    copyAndPaste: taken?.copyAndPaste ?? null,
    createdAt,
  };
  const closeAt = closingTime(context, { expiresAt });
  const isNew = await insertPayment(db, {
    payment,
    bank: taken?.bank ?? null,
    view: paymentView(payment, publicUrl),
    feeTerms,
    expiresAt,
    closeAt,
    by,
    requestId,
  });
  if (isNew) return paymentCreatedView(payment, publicUrl);
  // A concurrent request with the same key or reference was first, maybe at another bank: nobody sees the code of this
  // charge.
  if (taken) await expectUnheard(db, [{ paymentId: id, bank: taken.bank, askedAt: now() }]);
  const first = await findPayment(db, id, store.id);
  if (!first) throw errors.referenceTaken();
  return paymentCreatedView(first, publicUrl);
}

/** The payment's id, and since when an earlier request with the same key may have tried to create it. */
type Identity = { id: string; triedSince?: Date };

async function identify(
  context: ApiContext,
  { store, request, by, idempotencyKey }: Creation,
): Promise<Identity> {
  if (idempotencyKey === undefined) return { id: newId(context.now()) };
  // The hash differs for an administrator: the same key in both APIs is a 422.
  const asked = by === null ? request : { ...request, isPublic: false };
  const requestHash = createHash('sha256').update(JSON.stringify(asked)).digest();
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
  { db }: ApiContext,
  { store, request }: Creation,
  { id, triedSince }: Identity,
): Promise<Payment | undefined> {
  const repeated = triedSince && (await findPayment(db, id, store.id));
  if (repeated || request.reference === null) return repeated;
  const named = await findByReference(db, store.id, request.reference);
  if (named && named.id !== id) throw errors.referenceTaken();
  return named;
}
