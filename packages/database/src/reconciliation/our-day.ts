import type { Entry } from '@payments/domain/compare-day';
import type { Queryable } from '../connection.ts';

export type OurDay = { bank: string; since: Date; until: Date };

/**
 * @returns what we have on record of a bank in a range of time: Pix by the time of the Pix, returns by the time when they
 * were made. A Pix that fits no payment counts when all of it has gone back
 */
export async function readOurDay(db: Queryable, { bank, since, until }: OurDay): Promise<Entry[]> {
  const pix = await db
    .selectFrom('pix_received')
    .select(['end_to_end_id as endToEndId', 'amount', 'payment_id as paymentId', 'txid'])
    .where('bank', '=', bank)
    .where('paid_at', '>=', since)
    .where('paid_at', '<', until)
    .where((eb) => eb.or([eb('payment_id', 'is not', null), eb('unmatched', '=', 'returned')]))
    .orderBy('paid_at')
    .execute();
  const refunds = await db
    .selectFrom('refunds')
    .select(['end_to_end_id as endToEndId', 'id as refundId', 'amount', 'payment_id as paymentId'])
    .where('bank', '=', bank)
    .where('made_at', '>=', since)
    .where('made_at', '<', until)
    .orderBy('made_at')
    .execute();
  return [...pix, ...refunds];
}

/** A return that we know, and when it was made. */
export type KnownReturn = { endToEndId: string; id: string; madeAt: Date | null };

/** @returns those of these Pix that we know, for a payment or without one */
export async function findKnownPix(db: Queryable, endToEndIds: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('pix_received')
    .select('end_to_end_id as id')
    .where('end_to_end_id', '=', ({ fn, val }) => fn.any(val([...endToEndIds])))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** @returns the returns of these Pix that we know */
export async function findKnownReturns(
  db: Queryable,
  endToEndIds: readonly string[],
): Promise<KnownReturn[]> {
  return db
    .selectFrom('refunds')
    .select(['end_to_end_id as endToEndId', 'id', 'made_at as madeAt'])
    .where('end_to_end_id', '=', ({ fn, val }) => fn.any(val([...endToEndIds])))
    .execute();
}
