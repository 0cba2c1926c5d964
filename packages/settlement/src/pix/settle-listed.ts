import { findChargesSetAside, tellOfChargeSetAside } from '@payments/database/charges/problems';
import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { PixEntries } from '@payments/pix/client';
import { everyPage } from '@payments/pix/listed-pages';
import { orSetAside } from '../charges/set-aside.ts';
import type { BankContext } from '../context.ts';
import { completeReturns } from '../refunds/sync-refunds.ts';
import { notOnRecord, ofOurs, type Told, toldOf } from './on-record.ts';
import { settleOne } from './settle-told.ts';

export type Listing = {
  from: Date;
  to: Date;
  /** Only Pix of which something went back. */
  returned?: boolean;
  /** Also finds our charges without a payment, at the cost of a call for each charge of other systems. */
  strangers?: boolean;
};

/**
 * Settles the new Pix and refunds that the PSP lists in a range of time. A charge that can't be settled is set aside,
 * and does not stop the others.
 * @returns how many Pix were new
 * @throws PixUnavailable while the PSP is down
 */
export async function settleListed(context: BankContext, listing: Listing): Promise<number> {
  let found = 0;
  const { strangers = false, ...range } = listing;
  for await (const list of everyPage(context.pix, range)) {
    const unreadable = list.unreadable.map(({ endToEndId, txid }) => ({ endToEndId, txid }));
    if (unreadable.length > 0)
      context.log.error({ unreadable, ...range }, 'the PSP lists Pix that can’t be read');
    await completeReturns(context, list.pix);
    for (const told of await unknownOf(context, list))
      found += await orSetAside(context, told, true, () => settleListedCharge(context, told, strangers));
  }
  return found;
}

async function settleListedCharge(context: BankContext, told: Told, strangers: boolean): Promise<number> {
  const paymentId = paymentIdOf(told.txid);
  const isStranger = !paymentId || !(await findPayment(context.db, paymentId));
  return isStranger && !strangers ? 0 : settleOne(context, told);
}

/**
 * @returns what is listed of charges that may be ours and is not on record. A charge that is set aside has its own
 * pauses: what is new of it is kept with it, and makes it due
 */
async function unknownOf(context: BankContext, listed: PixEntries): Promise<Told[]> {
  const { db, bank, now } = context;
  const told = toldOf(await ofOurs(context, listed));
  const ours = told.filter(({ txid }) => paymentIdOf(txid) !== undefined);
  if (ours.length === 0) return [];
  const missing = await notOnRecord(context, ours);
  const txids = missing.map(({ txid }) => txid);
  const waiting = await findChargesSetAside(db, bank, txids);
  if (waiting.size === 0) return missing;
  for (const one of missing)
    if (waiting.has(one.txid)) await tellOfChargeSetAside(db, { ...one, bank, now: now() });
  // One that was settled just before has not heard of it.
  const left = await findChargesSetAside(db, bank, [...waiting]);
  return missing.filter(({ txid }) => !left.has(txid));
}
