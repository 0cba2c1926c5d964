import type { Queryable } from '@payments/database/connection';
import { findDelivery } from '@payments/database/deliveries/list';
import { findPayment } from '@payments/database/payments/payments';
import type { KindFilter } from '@payments/database/stores/kinds';
import { findStore, type Store } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import { wrongField } from '../http/errors/api-error.ts';
import { errors } from '../http/errors/errors.ts';
import { rules } from '../http/errors/field-rules.ts';
import { readId } from '../http/readers.ts';
import type { Actor } from './actor.ts';

/**
 * A store's roles see what is their store's. Another store's payment, delivery or store looks like one that does not
 * exist, also in filters (Contract: other stores).
 */

type Scope = Pick<Actor, 'storeId'>;

// No row has this id. Using it gives the caller the ordinary 404, after other validation.
const noId = '00000000-0000-0000-0000-000000000000';

/** @returns the store that a list's filter selects: the given one or all; for a store's role its own, or `noId` */
export function storeFilter({ storeId: own }: Scope, given?: string): { storeId?: string } {
  if (own === null) return given === undefined ? {} : { storeId: given };
  return { storeId: given === undefined || given === own ? own : noId };
}

/**
 * Reads the store of a list's filter, and whether it is of test stores.
 * @throws ApiError 400 for an id that is no UUID, and a wrong `test`
 */
export function readStoreFilter(scope: Scope, query: Record<string, unknown>) {
  const { storeId } = query;
  const store = storeFilter(scope, storeId === undefined ? undefined : readId('storeId', storeId));
  return { ...store, ...readKind(scope, query) };
}

/**
 * Reads whether a list or sum is of test stores: only if it is asked for. A store's own people see what is theirs
 * (Contract: test stores).
 * @throws ApiError 400 unless `test` is `true` or `false`
 */
export function readKind({ storeId: own }: Scope, query: unknown): KindFilter {
  const { test } = query as { test?: unknown };
  if (test === undefined) return own === null ? { test: false } : {};
  if (test !== 'true' && test !== 'false') throw wrongField('test', rules.boolean);
  return { test: test === 'true' };
}

/** @returns what a page without a choice of stores shows: the actor's own store, or the stores of the kind */
export function ownFilter(scope: Scope, query: unknown) {
  return { ...storeFilter(scope), ...readKind(scope, query) };
}

/** @returns the store's id, or `noId` if it is malformed or belongs to another store */
export function ownStore({ storeId: own }: Scope, given: string): string {
  const id = given.toLowerCase();
  return isId(id) && (own === null || own === id) ? id : noId;
}

/** @throws ApiError 404 for an unknown store, and for another than the actor's own */
export async function storeOr404({ db }: { db: Queryable }, scope: Scope, id: string): Promise<Store> {
  const store = await findStore(db, ownStore(scope, id));
  if (!store) throw errors.storeNotFound();
  return store;
}

/** @returns the payment's id, or `noId` if it is malformed or belongs to another store */
export async function ownPayment(db: Queryable, { storeId: own }: Scope, id: string): Promise<string> {
  if (!isId(id)) return noId;
  return own === null || (await findPayment(db, id, own)) ? id : noId;
}

/** @returns the delivery's id, or `noId` if it is malformed or belongs to another store */
export async function ownDelivery(db: Queryable, { storeId: own }: Scope, id: string): Promise<string> {
  if (!isId(id)) return noId;
  return own === null || (await findDelivery(db, id))?.storeId === own ? id : noId;
}

/** @returns whether an export's rows are of test stores: those of the filter, or of the store's own people */
export async function isExportOfTests(
  db: Queryable,
  { storeId: own }: Scope,
  { test }: KindFilter,
): Promise<boolean> {
  if (test !== undefined || own === null) return test === true;
  return (await findStore(db, own))?.test === true;
}
