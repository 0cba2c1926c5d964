import type { RefundError } from '@payments/domain/bank-error';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import type { Selected } from '../schema.ts';

/** The columns of a {@link Refund}, for `select` and `returning`. */
export const refundColumns = [
  'refunds.id',
  'refunds.endToEndId',
  'refunds.paymentId',
  'refunds.bank',
  'refunds.amount',
  'wanted',
  'exact',
  'origin',
  'reason',
  'note',
  'state',
  'rtrId',
  'refunds.tries',
  'lastError',
  'looks',
  'concluded',
  'replaces',
  'ordinal',
  'reorders',
  'orderAgainAt',
  'orderAgainAmount',
  'owed',
  'madeAt',
  'givenBack',
  'tokenId',
  'refunds.createdAt',
  'refunds.updatedAt',
] as const;

/** A devolução: money that goes back for a Pix received; amounts in centavos. */
export type Refund = Selected<'refunds', typeof refundColumns>;

/** How the missing amount of a refused refund goes on: ordered again, owed, or not at all. */
export type OpenQuestion = Pick<Refund, 'orderAgainAt' | 'orderAgainAmount' | 'owed'>;

export const nothingOpen: OpenQuestion = { orderAgainAt: null, orderAgainAmount: null, owed: null };

/** The bank that a Pix arrived at, and that makes its refunds, as a value to insert. */
export function bankOf(endToEndId: string) {
  return sql<string>`(select bank from pix_received where end_to_end_id = ${endToEndId})`;
}

/** @returns a payment's refunds, oldest first */
export async function listRefunds(db: Queryable, paymentId: string): Promise<Refund[]> {
  return inOrder(db).where('paymentId', '=', paymentId).execute();
}

/** @returns the refunds of these Pix, oldest first */
export async function listRefundsOfPix(db: Queryable, endToEndIds: readonly string[]): Promise<Refund[]> {
  // Nearly all listed Pix have no returns.
  if (endToEndIds.length === 0) return [];
  return inOrder(db).where('endToEndId', '=', anyOf(endToEndIds)).execute();
}

function inOrder(db: Queryable) {
  return db.selectFrom('refunds').select(refundColumns).orderBy('createdAt').orderBy('ordinal');
}

/** @returns the refund that a person ordered of a payment under this key, and the hash of that request */
export async function findRefundByKey(
  db: Queryable,
  paymentId: string,
  key: string,
): Promise<(Refund & { requestHash: Buffer | null }) | undefined> {
  return db
    .selectFrom('refunds')
    .select([...refundColumns, 'requestHash'])
    .where('paymentId', '=', paymentId)
    .where('idempotencyKey', '=', key)
    .executeTakeFirst();
}

/** @returns payments and Pix of refused refunds whose next order is due, longest due first */
export async function findRefundsToOrderAgain(
  db: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<Pick<Refund, 'endToEndId' | 'paymentId'>[]> {
  return db
    .selectFrom('refunds')
    .select(['endToEndId', 'paymentId'])
    .where('orderAgainAt', '<=', now)
    .orderBy('orderAgainAt')
    .limit(limit)
    .execute();
}

/** `ordinal` identifies one of our orders that a restored database lacks; null for the bank's own. */
export type RefundAtBank = Pick<
  Refund,
  'id' | 'endToEndId' | 'paymentId' | 'amount' | 'ordinal' | 'reason' | 'state' | 'rtrId'
> & { error?: RefundError | null; madeAt: Date | null; tryAt: Date | null; now: Date };

/** Inserts a refund that only the bank knew: its own (MED, API Pix 2.9 `natureza`), or one of ours. */
export async function insertRefundAtBank(trx: Queryable, refund: RefundAtBank): Promise<void> {
  const { id, endToEndId, paymentId, amount, ordinal, reason, state, rtrId, madeAt, tryAt, now } = refund;
  const { error: lastError = null } = refund;
  const origin = ordinal === null ? ('bank' as const) : ('service' as const);
  const about = { id, endToEndId, bank: bankOf(endToEndId), paymentId, ordinal, origin, reason };
  const progress = { amount, wanted: amount, state, rtrId, lastError, madeAt, tryAt };
  await trx
    .insertInto('refunds')
    .values({ ...about, ...progress, createdAt: now, updatedAt: now })
    .onConflict((oc) => oc.columns(['endToEndId', 'id']).doNothing())
    .execute();
}
