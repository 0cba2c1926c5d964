import type { Queryable } from '@payments/database/connection';
import { type Delivery, findDelivery, redeliver } from '@payments/database/deliveries';
import { errors } from '../../errors/errors.ts';

/** A redrive of many: how many at most, and how fast they fall due. */
export const redriveBounds = { limit: 10_000, perSecond: 50 };

/**
 * Sends a delivery again, now.
 * @throws ApiError 404 without such a delivery, 409 while an attempt is under way
 */
export async function sendAgain(db: Queryable, id: string): Promise<Delivery> {
  const due = await redeliver(db, id);
  const delivery = await findDelivery(db, id);
  if (!delivery) throw errors.deliveryNotFound();
  if (!due) throw errors.deliveryUnderWay();
  return delivery;
}
