import { type Delivery, findDelivery } from '@payments/database/deliveries/list';
import { redeliver } from '@payments/database/deliveries/redeliver';
import type { Author } from '@payments/database/record/changes';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';

/**
 * Makes a delivery due now.
 * @throws ApiError 404 without such a delivery, 409 while an attempt is under way
 */
export async function sendAgain(
  { db, now }: Pick<AdministrationContext, 'db' | 'now'>,
  id: string,
  by: Author,
): Promise<Delivery> {
  const due = await redeliver(db, id, { by, now: now() });
  const delivery = await findDelivery(db, id);
  if (!delivery) throw errors.deliveryNotFound();
  if (!due) throw errors.deliveryUnderWay();
  return delivery;
}
