import { findChargesSetAside } from '@payments/database/charges/problems';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import type { BankContext } from './context.ts';
import { missedPix } from './on-record.ts';
import { placeCharge } from './place-charge.ts';
import { orSetAside, type Told, toldOf } from './set-aside.ts';
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
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const list = await context.pix.listPix({ ...range, page });
    pages = list.pages;
    const { unreadable } = list;
    if (unreadable.length > 0)
      context.log.error({ unreadable: unreadable.length, ...range }, 'the PSP lists Pix that can’t be read');
    for (const told of await unknownOf(context, list.pix))
      found += await orSetAside(context, told, true, async () => {
        if (strangers) await placeCharge(context, told.txid);
        return settleOne(context, told);
      });
  }
  return found;
}

/** @returns listed Pix of charges that may be ours, without charges set aside: those have their own pauses */
async function unknownOf(context: BankContext, listed: readonly ReceivedPix[]): Promise<Told[]> {
  const missed = toldOf(await missedPix(context, listed));
  const ours = missed.filter(({ txid }) => paymentIdOf(txid) !== undefined);
  const txids = ours.map(({ txid }) => txid);
  const waiting = await findChargesSetAside(context.db, context.bank, txids);
  return ours.filter(({ txid }) => !waiting.has(txid));
}
