import type { DeliveryFilter } from '@payments/database/deliveries/list';
import type { DeliveryState } from '@payments/database/schema';
import { Type } from '@sinclair/typebox';
import type { Actor } from '../../access/actor.ts';
import { readStoreFilter } from '../../access/own.ts';
import { readId, readOneOf } from '../../http/field-values.ts';
import { rangeQuery, readRange } from '../../http/time-range.ts';
import { oneOf } from '../shapes.ts';

export const deliveryStates = ['pending', 'delivered', 'dead'] as const satisfies DeliveryState[];

export const deliveryQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this store.' })),
  paymentId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this payment.' })),
  state: Type.Optional(oneOf(deliveryStates, 'Only deliveries in this state.')),
  ...rangeQuery('deliveries created'),
};

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
