import { readPausedBanks } from '@payments/database/banks/banks';
import type { Author } from '@payments/database/record/changes';
import { findStore } from '@payments/database/stores/stores';
import type { PaymentCreatedView } from '@payments/domain/payment';
import type { FastifyBaseLogger } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { ownStore } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { createPayment } from '../../public/payments/create-payment.ts';
import { readCreation } from '../../public/payments/read-creation.ts';
import { defaultMaxAmount } from '../stores/store-fields.ts';

export type ChargeForStore = {
  /** Who asks: a store's own people can't charge for another. */
  within: Pick<Actor, 'storeId'>;
  storeId: string;
  /** The body of a public creation, validated by the same rules. */
  body: unknown;
  idempotencyKey: string | undefined;
  by: Author;
  requestId: string;
  log: FastifyBaseLogger;
};

/**
 * Creates a payment for a store as an administrator: `isPublic` is false (Contract: creation).
 * @throws ApiError 400 for a wrong field, 404 without such a store, 403 when it is inactive, 409 for a reference of
 * another payment
 */
export async function chargeForStore(
  context: AdministrationContext,
  charge: ChargeForStore,
): Promise<PaymentCreatedView> {
  const { within, storeId, body, ...rest } = charge;
  const store = await findStore(context.db, ownStore(within, storeId));
  const maxAmount = store?.maxAmount ?? defaultMaxAmount;
  const given = { body, storeId: store?.id, maxAmount, isPublic: false, keyHash: rest.idempotencyKey };
  const request = await readCreation(context, given);
  if (!store) throw errors.storeNotFound();
  if (!store.active) throw errors.storeInactive();
  const pausedBanks = await readPausedBanks(context.db);
  return createPayment(context, { store, pausedBanks, request, ...rest });
}
