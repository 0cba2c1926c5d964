import type { Entry } from '@payments/domain/compare-day';
import type { Queryable } from '../connection.ts';

export type OurDay = { bank: string; since: Date; until: Date };

/**
 * @returns what we have on record of a bank in a range of time: Pix by the time of the Pix, returns by the time when they
 * were made. A Pix that fits no payment counts when all of it has gone back
 */
export async function readOurDay(db: Queryable, { bank, since, until }: OurDay): Promise<Entry[]> {
  const pix = await db
    .selectFrom('pixReceived')
    .select(['endToEndId', 'amount', 'paymentId', 'txid'])
    .where('bank', '=', bank)
    .where('paidAt', '>=', since)
    .where('paidAt', '<', until)
    .where((eb) => eb.or([eb('paymentId', 'is not', null), eb('unmatched', '=', 'returned')]))
    .orderBy('paidAt')
    .execute();
  const refunds = await db
    .selectFrom('refunds')
    .select(['endToEndId', 'id as refundId', 'amount', 'paymentId'])
    .where('bank', '=', bank)
    .where('madeAt', '>=', since)
    .where('madeAt', '<', until)
    .orderBy('madeAt')
    .execute();
  return [...pix, ...refunds];
}
