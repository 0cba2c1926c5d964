import type { Queryable } from '@payments/database/connection';
import { forgetFailures } from '@payments/database/deliveries/endpoints';
import {
  type Delivery,
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  readAttempts,
  readDeliveriesAfter,
} from '@payments/database/deliveries/list';
import { redeliver, redeliverMany } from '@payments/database/deliveries/redeliver';
import type { Page, Paged } from '@payments/database/filters';
import { type Author, changeOnRecord } from '@payments/database/record/changes';
import type { DeliveryState } from '@payments/database/schema';
import { deliveryErrorText } from '@payments/domain/delivery-error';
import { isId } from '@payments/domain/identifiers';
import { type Actor, readKind, readStoreFilter, storeFilter } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { readId, readOneOf, readRange } from '../../http/readers.ts';
import { type ExportedList, pageOnRecord, type Reading } from '../record/actions.ts';

/** Actions on webhook deliveries, for people and programs: find them, send them again, release a receiver. */

export const deliveryStates = ['pending', 'delivered', 'dead'] as const satisfies DeliveryState[];

/**
 * Reads the filter of deliveries from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readDeliveryFilter(actor: Actor, query: Record<string, unknown>): DeliveryFilter {
  const { paymentId, state } = query;
  return {
    ...readStoreFilter(actor, query),
    ...(paymentId === undefined ? {} : { paymentId: readId('paymentId', paymentId) }),
    ...(state === undefined ? {} : { state: readOneOf('state', state, deliveryStates) }),
    ...readRange(query),
  };
}

/** Finds a page of deliveries in its turn, and records an export by hand. */
export function findDeliveries(
  context: AdministrationContext,
  reading: Reading & { actor: Actor },
  filter: DeliveryFilter,
  page: Page,
): Promise<Paged<Delivery>> {
  return pageOnRecord(context, reading, { kind: 'deliveries', page }, () =>
    context.longReads.list(reading.actor, (db) => listDeliveries(db, filter, page)),
  );
}

/** @returns deliveries with their attempts */
export async function withAttempts(db: Queryable, deliveries: readonly Delivery[]) {
  const ids = deliveries.map(({ id }) => id);
  const attempts = ids.length > 0 ? await readAttempts(db, ids) : undefined;
  return deliveries.map((delivery) => ({ ...delivery, attempts: attempts?.get(delivery.id) ?? [] }));
}

/**
 * Makes a delivery due now.
 * @throws ApiError 404 without such a delivery, 409 while an attempt is under way, or an earlier event's is to come
 */
export async function sendAgain(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  id: string,
  by: Author,
): Promise<Delivery> {
  const due = await redeliver(db, id, { by, now: now() });
  const delivery = await findDelivery(db, id);
  if (!delivery) throw errors.deliveryNotFound();
  if (due) return delivery;
  const isWaiting = delivery.state === 'pending' && delivery.nextAttemptAt === null;
  throw isWaiting ? errors.deliveryWaits() : errors.deliveryUnderWay();
}

/** The deliveries to send again; without `storeId` those of all the actor's stores, but of no test store. */
type Redrive = { actor: Actor; storeId: string | undefined; state: DeliveryState; since: Date | undefined };

/**
 * Makes many deliveries due, oldest first.
 * @returns how many were made due
 * @throws ApiError 429 if too many such orders wait
 */
export async function sendManyAgain(
  { db, now, longReads }: Pick<AdministrationContext, 'db' | 'now' | 'longReads'>,
  { actor, storeId, state, since }: Redrive,
  by: Author,
): Promise<number> {
  const kind = storeId === undefined ? readKind(actor, {}) : {};
  const filter = { state, ...storeFilter(actor, storeId), ...kind, ...(since ? { since } : {}) };
  return longReads.changeMany(actor, () => redeliverMany(db, filter, { by, now: now() }));
}

/**
 * Closes the circuit of a receiver and forgets its failures.
 * @throws ApiError 404 if it is not failing
 */
export async function release(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  id: string,
  by: Author,
): Promise<void> {
  if (!isId(id)) throw errors.endpointNotFound();
  const released = await changeOnRecord(db, by, async (trx) => {
    const endpoint = await forgetFailures(trx, id);
    if (!endpoint) return undefined;
    const { storeId, ...from } = endpoint;
    return { action: 'endpoint.released', at: now(), storeId, subject: id, from };
  });
  if (!released) throw errors.endpointNotFound();
}

/** The deliveries’ CSV. */
export const deliveryExport: ExportedList<Delivery, DeliveryFilter> = {
  kind: 'deliveries',
  readAfter: readDeliveriesAfter,
  columns: {
    id: ({ id }) => id,
    event: ({ event }) => event,
    paymentId: ({ paymentId }) => paymentId,
    storeId: ({ storeId }) => storeId,
    url: ({ url }) => url,
    state: ({ state }) => state,
    attempts: ({ attempts }) => attempts,
    nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt,
    lastError: ({ lastError }) => lastError && deliveryErrorText(lastError),
    createdAt: ({ createdAt }) => createdAt,
  },
};
