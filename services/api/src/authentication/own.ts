import type { Queryable } from '@payments/database/connection';
import { isOfStore } from '@payments/database/people/ownership';
import { isId } from '@payments/domain/identifiers';
import { errors } from '../errors/errors.ts';
import type { Actor } from './actor.ts';

/**
 * A store's roles see what is their store's. Another store's payment, delivery or store looks like one that does not
 * exist, also in filters (Contract: other stores).
 */

type Scope = Pick<Actor, 'storeId'>;

// No store has this id, so a filter by it finds what an unknown store's finds.
const noStore = '00000000-0000-0000-0000-000000000000';

/** @returns the store that a list's filter selects: the given one, or all; for a store's role its own, or none */
export function storeFilter({ storeId: own }: Scope, given?: string): { storeId?: string } {
  if (own === null) return given === undefined ? {} : { storeId: given };
  return { storeId: given === undefined || given === own ? own : noStore };
}

/** @throws ApiError 404 for an id that is none, or another store's */
export function ownStore({ storeId: own }: Scope, id: string): string {
  if (!isId(id) || (own !== null && own !== id)) throw errors.storeNotFound();
  return id;
}

/** @throws ApiError 404 for an id that is none, or another store's payment */
export async function ownPayment(db: Queryable, { storeId }: Scope, id: string): Promise<string> {
  if (!isId(id)) throw errors.paymentNotFound();
  if (storeId !== null && !(await isOfStore(db, 'payments', { id, storeId }))) throw errors.paymentNotFound();
  return id;
}

/** @throws ApiError 404 for an id that is none, or another store's delivery */
export async function ownDelivery(db: Queryable, { storeId }: Scope, id: string): Promise<string> {
  if (!isId(id)) throw errors.deliveryNotFound();
  if (storeId !== null && !(await isOfStore(db, 'deliveries', { id, storeId })))
    throw errors.deliveryNotFound();
  return id;
}
