import { findPix } from '@payments/database/charges/pix-received';
import type { ToldReturn } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import { findPayments } from '@payments/database/payments/payments';
import { listRefundsOfPix, type Refund } from '@payments/database/refunds/refunds';
import { knownAs, paymentIdOf, txidOf } from '@payments/domain/identifiers';
import type { PixEntries, Refund as PspRefund, ReceivedPix, UnreadablePix } from '@payments/pix/client';
import { isSameKey } from '@payments/pix/keys';
import { isOfAnotherEntry } from '../charges/read-charge.ts';
import type { BankContext } from '../context.ts';
import { refundStateOf } from '../refunds/sync-refunds.ts';

/**
 * A charge, and what a callback or a list told of it: its Pix, and their returns. All of it is kept until it is on
 * record.
 */
export type Told = {
  txid: string;
  endToEndIds: readonly string[];
  returns?: readonly ToldReturn[];
  /** How many Pix that were, where one of them has no id that can be read. */
  pixTold?: number;
  /** For a charge that is tried again: the bank's responses in a row that did not show its returns. */
  looks?: number;
};

/**
 * @returns the entries that may be ours. An entry with a return that names no charge gets the charge of its Pix on
 * record. An entry of another of the account's keys is left out, unless its charge belongs to a payment at this bank:
 * then this bank's key has changed since
 */
export async function ofOurs(context: BankContext, { pix, unreadable }: PixEntries): Promise<PixEntries> {
  const known = await txidsOnRecord(
    context,
    [...pix, ...unreadable].filter((one) => one.txid === null && toldOfPix(one).returns.length > 0),
  );
  const named = <Entry extends Named>(one: Entry): Entry => ({
    ...one,
    txid: one.txid ?? known.get(one.endToEndId ?? '') ?? null,
  });
  const all = { pix: pix.map(named), unreadable: unreadable.map(named) };
  const isForUs = ({ key }: Named) => isSameKey(context.pix.key, key);
  const ofFormerKey = await txidsOfPayments(
    context,
    [...all.pix, ...all.unreadable].filter((one) => !isForUs(one) && !isOfAnotherEntry(context, one.key)),
  );
  const isOurs = (one: Named) => isForUs(one) || (one.txid !== null && ofFormerKey.has(one.txid));
  return { pix: all.pix.filter(isOurs), unreadable: all.unreadable.filter(isOurs) };
}

/** @returns the charges of these entries that are of payments of this bank */
async function txidsOfPayments({ db, bank }: BankContext, entries: readonly Named[]): Promise<Set<string>> {
  const ids = entries.flatMap(({ txid }) => (txid && paymentIdOf(txid)) || []);
  const payments = ids.length === 0 ? [] : await findPayments(db, ids);
  return new Set(payments.filter((one) => one.bank === bank).map(({ id }) => txidOf(id)));
}

/** @returns the charges of these Pix that are on record of this bank, by endToEndId */
async function txidsOnRecord({ db, bank }: BankContext, entries: readonly Named[]) {
  const ids = entries.flatMap(({ endToEndId }) => endToEndId ?? []);
  const known = ids.length === 0 ? [] : await findPix(db, ids);
  return new Map(known.filter((one) => one.bank === bank).map((one) => [one.endToEndId, one.txid]));
}

type Named = Pick<UnreadablePix, 'endToEndId' | 'txid' | 'key'>;

/** @returns what these entries tell of each charge. One that names no charge is left out */
export function toldOf({ pix, unreadable }: PixEntries): Told[] {
  const named = [...pix, ...unreadable].map(toldOfPix);
  const byCharge = Map.groupBy(named, ({ txid }) => txid);
  byCharge.delete(null);
  return [...byCharge].map(([txid, all]) => {
    const endToEndIds = all.map(({ endToEndId }) => endToEndId).filter((id) => id !== null);
    const returns = all.flatMap((one) => one.returns);
    const areNamed = endToEndIds.length === all.length;
    return { txid: txid as string, endToEndIds, returns, ...(!areNamed && { pixTold: all.length }) };
  });
}

function toldOfPix(one: ReceivedPix | UnreadablePix) {
  const { txid, endToEndId, refunds = [], oddRefunds = 0, areOddMade = false } = one;
  if (endToEndId === null) return { txid, endToEndId, returns: [] };
  const returns: ToldReturn[] = refunds.map((refund) => ({
    endToEndId,
    id: refund.id,
    state: refundStateOf(refund),
  }));
  const of = refunds.filter(isNotFailed).length + oddRefunds;
  const state = areOddMade ? 'refunded' : 'processing';
  if (oddRefunds > 0) returns.push({ endToEndId, id: null, state, of });
  return { txid, endToEndId, returns };
}

/** The bank is making it, or has made it. */
const isNotFailed = (refund: PspRefund) => refundStateOf(refund) !== 'failed';

/**
 * @returns the part that is not on record: Pix that are neither placed on the charge's payment nor gone back while they
 * were unmatched, those without an id by their number, and returns that are unknown or known in an earlier state.
 * Nothing of a charge that is on record whole
 */
export async function notOnRecord(
  { db }: { db: Queryable },
  facts: readonly Told[],
  needsRecord: (told: ToldReturn) => boolean = () => true,
): Promise<Told[]> {
  const { told, pix } = await asOnRecord(db, facts);
  const ofPix = told.flatMap(({ returns = [] }) => returns.map(({ endToEndId }) => endToEndId));
  const known = await listRefundsOfPix(db, ofPix);
  const refunds = new Map(known.map((one) => [keyOf(one), one]));
  const atBank = countsOf(known.filter(({ state }) => state === 'processing' || state === 'refunded'));
  return told.flatMap(({ txid, endToEndIds: ids, returns: back = [], pixTold = 0 }) => {
    const isPlaced = (id: string) => {
      const { paymentId = null, unmatched } = pix.get(id) ?? {};
      return (paymentId !== null && paymentId === paymentIdOf(txid)) || unmatched === 'returned';
    };
    const endToEndIds = ids.filter((id) => !isPlaced(id));
    // A return that was told without an id is one of those on record where these are as many, or all has gone back.
    const isOver = ({ endToEndId, id, of = 1 }: ToldReturn) =>
      id === null && (pix.get(endToEndId)?.unmatched === 'returned' || (atBank.get(endToEndId) ?? 0) >= of);
    const isToCome = (one: ToldReturn, known = refunds.get(keyOf(one))) =>
      known ? !isUpToDate(known, one) : needsRecord(one);
    const returns = back.filter((one) => !isOver(one) && isToCome(one));
    const placed = () => [...pix.values()].filter((one) => one.txid === txid && isPlaced(one.endToEndId));
    const isUncounted = pixTold > 0 && placed().length < pixTold;
    if (endToEndIds.length + returns.length === 0 && !isUncounted) return [];
    return [{ txid, endToEndIds, returns, ...(isUncounted && { pixTold }) }];
  });
}

/**
 * @returns the part that leaves the money in doubt while it is not on record. A return that the bank refused took nothing:
 * where nothing is known of it, nothing is missing
 */
export async function inDoubt(context: { db: Queryable }, told: Told): Promise<Told | undefined> {
  const [missing] = await notOnRecord(context, [told], ({ state }) => state !== 'failed');
  return missing;
}

/** @returns how many of these refunds each Pix has */
function countsOf(refunds: readonly Refund[]): Map<string, number> {
  const ofPix = Map.groupBy(refunds, ({ endToEndId }) => endToEndId);
  return new Map([...ofPix].map(([endToEndId, all]) => [endToEndId, all.length]));
}

/** @returns the Pix on record, and the told facts with each Pix under its id on record */
async function asOnRecord(db: Queryable, told: readonly Told[]) {
  const txids = told.map(({ txid }) => txid);
  const found = await findPix(db, told.flatMap(idsIn), txids);
  const pix = new Map(found.map((one) => [one.endToEndId, one]));
  const known = [...pix.keys()];
  const named = (id: string) => (pix.has(id) ? id : knownAs(id, known));
  const renamed = told.map(({ endToEndIds, returns = [], ...one }) => ({
    ...one,
    endToEndIds: endToEndIds.map(named),
    returns: returns.map((one) => ({ ...one, endToEndId: named(one.endToEndId) })),
  }));
  return { told: renamed, pix };
}

const idsIn = ({ endToEndIds, returns = [] }: Told) => [
  ...endToEndIds,
  ...returns.map(({ endToEndId }) => endToEndId),
];

/** A bank may write the id of a return in another case. */
const keyOf = ({ endToEndId, id }: { endToEndId: string; id: string | null }) =>
  `${endToEndId} ${id?.toLowerCase()}`;

/**
 * A final state stays. A failure that the service concluded by itself, and a doubt, give way to any later word of the
 * bank.
 */
function isUpToDate(known: Refund, { state }: ToldReturn): boolean {
  if (known.state === 'failed') return state === 'failed' || (state === 'processing' && !known.concluded);
  return known.state === 'refunded' || (known.state === state && known.looks === 0);
}

/** @returns whether a refund is known of one of these Pix, which fits no payment */
export async function areKeptWithRefunds(db: Queryable, endToEndIds: readonly string[]): Promise<boolean> {
  return (await listRefundsOfPix(db, endToEndIds)).some(({ paymentId }) => paymentId === null);
}

/** @returns whether a person ordered a refund of this Pix while it fitted no payment; the bank's own (MED) decide nothing */
export async function isGivenBack(db: Queryable, endToEndId: string): Promise<boolean> {
  const refunds = await listRefundsOfPix(db, [endToEndId]);
  return refunds.some(({ paymentId, origin }) => paymentId === null && origin === 'service');
}
