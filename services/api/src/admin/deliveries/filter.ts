import type { DeliveryFilter } from '@payments/database/deliveries/list';
import type { DeliveryState } from '@payments/database/schema';
import { readId, readOneOf } from '../../field-values.ts';

export const deliveryStates = ['pending', 'delivered', 'dead'] as const satisfies DeliveryState[];

/**
 * Reads which deliveries are looked for from a query.
 * @throws ApiError 400 for the first parameter that is wrong
 */
export function readDeliveryFilter({ storeId, paymentId, state }: Record<string, unknown>): DeliveryFilter {
  return {
    ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
    ...(paymentId === undefined ? {} : { paymentId: readId('paymentId', paymentId) }),
    ...(state === undefined ? {} : { state: readOneOf('state', state, deliveryStates) }),
  };
}
