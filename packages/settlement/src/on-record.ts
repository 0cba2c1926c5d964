import { findPix } from '@payments/database/charges/pix-received';
import type { Queryable } from '@payments/database/connection';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { Refund as PspRefund, ReceivedPix } from '@payments/pix/client';
import type { BankContext } from './context.ts';
import { refundStateOf } from './sync-refunds.ts';

/** @returns those of these Pix that the database does not have as the bank lists them */
export async function missedPix({ db }: BankContext, listed: readonly ReceivedPix[]): Promise<ReceivedPix[]> {
  const pix = new Map((await findPix(db, listed.map(idOf))).map((one) => [one.endToEndId, one]));
  const returned = listed.filter(({ refunds }) => refunds.length > 0);
  const refunds = new Map((await listRefundsOfPix(db, returned.map(idOf))).map((one) => [keyOf(one), one]));
  return listed.filter(({ endToEndId, txid, refunds: all }) => {
    const { paymentId = null, unmatched } = pix.get(endToEndId) ?? {};
    const isPlaced = paymentId !== null && paymentId === (txid && paymentIdOf(txid));
    const isKnown = (one: PspRefund) => isUpToDate(refunds.get(keyOf({ endToEndId, id: one.id })), one);
    return !(isPlaced || unmatched === 'returned') || !all.every(isKnown);
  });
}

const idOf = ({ endToEndId }: ReceivedPix) => endToEndId;
const keyOf = ({ endToEndId, id }: Pick<Refund, 'endToEndId' | 'id'>) => `${endToEndId} ${id}`;

/** A final state stays, but for a refusal that the bank's `refunded` replaces. */
function isUpToDate(known: Refund | undefined, listed: PspRefund): boolean {
  const state = refundStateOf(listed);
  if (known?.state === 'failed') return state !== 'refunded';
  return known?.state === 'refunded' || known?.state === state;
}

/** @returns whether a refund is known of one of these Pix, which fits no payment */
export async function areKeptWithRefunds(db: Queryable, endToEndIds: readonly string[]): Promise<boolean> {
  return (await listRefundsOfPix(db, endToEndIds)).some(({ paymentId }) => paymentId === null);
}
