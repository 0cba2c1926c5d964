import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Selected } from '../schema.ts';

/** The columns of a {@link Refund}, for `select` and `returning`. */
export const refundColumns = [
  'refunds.id',
  'refunds.end_to_end_id as endToEndId',
  'refunds.payment_id as paymentId',
  'refunds.bank',
  'refunds.amount',
  'wanted',
  'origin',
  'reason',
  'note',
  'state',
  'rtr_id as rtrId',
  'refunds.tries',
  'last_error as lastError',
  'replaces',
  'ordinal',
  'reorders',
  'order_again_at as orderAgainAt',
  'owed',
  'made_at as madeAt',
  'given_back as givenBack',
  'refunds.created_at as createdAt',
  'refunds.updated_at as updatedAt',
] as const;

/** A devolução: money that goes back for a Pix received; amounts in centavos. */
export type Refund = Selected<'refunds', typeof refundColumns>;

/** The bank that a Pix arrived at, and that makes its refunds, as a value to insert. */
export function bankOf(endToEndId: string) {
  return sql<string>`(select bank from pix_received where end_to_end_id = ${endToEndId})`;
}

/** @returns a payment's refunds, oldest first */
export async function listRefunds(db: Queryable, paymentId: string): Promise<Refund[]> {
  return inOrder(db).where('payment_id', '=', paymentId).execute();
}

/** @returns the refunds of a Pix, oldest first */
export async function listRefundsOfPix(db: Queryable, endToEndId: string): Promise<Refund[]> {
  return inOrder(db).where('end_to_end_id', '=', endToEndId).execute();
}

function inOrder(db: Queryable) {
  return db.selectFrom('refunds').select(refundColumns).orderBy('created_at').orderBy('ordinal');
}

/** @returns the refund that a person ordered of a payment under this key, and the hash of that request */
export async function findRefundByKey(
  db: Queryable,
  paymentId: string,
  key: string,
): Promise<(Refund & { requestHash: Buffer | null }) | undefined> {
  return db
    .selectFrom('refunds')
    .select([...refundColumns, 'request_hash as requestHash'])
    .where('payment_id', '=', paymentId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

/** @returns payments and Pix of refused refunds whose next order is due, longest due first */
export async function findRefundsToOrderAgain(
  db: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<Pick<Refund, 'endToEndId' | 'paymentId'>[]> {
  return db
    .selectFrom('refunds')
    .select(['end_to_end_id as endToEndId', 'payment_id as paymentId'])
    .where('order_again_at', '<=', now)
    .orderBy('order_again_at')
    .limit(limit)
    .execute();
}
