import { createdAtOf } from '@payments/domain/identifiers';
import type { Queryable } from '../connection.ts';
import { anyOf, given } from '../filters.ts';
import { run, snakeCase } from '../run.ts';
import type { Selected } from '../schema.ts';

/**
 * The columns of a {@link StoredPayment}, for `select` and `returning`. With "*", a column that a migration adds would
 * break the prepared statements of running processes.
 */
export const paymentColumns = [
  'id',
  'storeId',
  'test',
  'status',
  'charged',
  'amount',
  'feeAmount',
  'liquidValue',
  'feePpm',
  'feeFixed',
  'observation',
  'email',
  'description',
  'webhookUrl',
  'isPublic',
  'bank',
  'copyAndPaste',
  'reference',
  'expiresIn',
  'chargeState',
  'chargeTries',
  'expiresAt',
  'reviewSince',
  'reviewTimedOutAt',
  'approvedAt',
  'received',
  'events',
  'moves',
  'requestId',
  'createdAt',
] as const;

/** The domain's payment, with the data on its charge and its history. */
export type StoredPayment = Selected<'payments', typeof paymentColumns>;

export const storedPayments = (db: Queryable) => db.selectFrom('payments').select(paymentColumns);

/** @returns when the oldest payment was created, or undefined while there is none */
export async function firstPaymentAt(db: Queryable): Promise<Date | undefined> {
  const first = await db.selectFrom('payments').select('id').orderBy('id').limit(1).executeTakeFirst();
  return first && createdAtOf(first.id);
}

/** @returns the payment, or undefined; with `storeId`, only if it is that store's */
export async function findPayment(
  db: Queryable,
  id: string,
  storeId?: string,
): Promise<StoredPayment | undefined> {
  return storedPayments(db)
    .where(({ and }) => and(given({ id, storeId })))
    .executeTakeFirst();
}

/** @returns the payments with these ids, newest first */
export async function findPayments(db: Queryable, ids: readonly string[]): Promise<StoredPayment[]> {
  return storedPayments(db).where('id', '=', anyOf(ids)).orderBy('id', 'desc').execute();
}

/** @returns the store's payment with this reference, or undefined */
export async function findByReference(
  db: Queryable,
  storeId: string,
  reference: string,
): Promise<StoredPayment | undefined> {
  return storedPayments(db)
    .where('reference', '=', reference)
    .where('storeId', '=', storeId)
    .executeTakeFirst();
}

const locking = `select ${paymentColumns.map(snakeCase)} from payments where id = $1 for no key update`;

/** @returns the payment, locked against other changes until the transaction ends */
export async function lockPayment(trx: Queryable, id: string): Promise<StoredPayment | undefined> {
  return (await run<StoredPayment>(trx, locking, [id]))[0];
}
