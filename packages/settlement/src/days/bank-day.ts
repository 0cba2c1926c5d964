import { findPix } from '@payments/database/charges/pix-received';
import { findOldestReturned } from '@payments/database/reconciliation/checked-days';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import type { Entry, UnreadableEntry } from '@payments/domain/compare-day';
import { together } from '@payments/pix/answers';
import type { PixEntries, ReceivedPix, UnreadablePix } from '@payments/pix/client';
import { everyPage } from '@payments/pix/listed-pages';
import type { BankContext } from '../context.ts';
import { type ListedPix, type OnRecord, type Owner, ownerOfPix } from '../pix/ours.ts';
import { slicesOf } from './reconcile.ts';

/** A day at a bank; today's ends with what the bank lists already. */
export type Day = { since: Date; until: Date };

/** A bank's day. `others` are Pix that came to the account for something else; an amount that can't be read counts 0. */
export type BankDay = {
  entries: Entry[];
  unreadable: UnreadableEntry[];
  others: { count: number; amount: number };
};

type Sorted<Listed extends ListedPix> = { pix: Listed; record: OnRecord | undefined; owner: Owner };

const dayMs = 24 * 60 * 60_000;
// A refund may be ordered for 90 days (API Pix 2.9), and a payer's bank may ask for a Pix back for 80 (MED).
const returnedForMs = 92 * dayMs;

/**
 * Reads what a bank has of a day: Pix by their `horario`, and returns by the time when they were made. An entry that can't
 * be read is named, and hides no other.
 * @param signal ends the reading when nobody waits for it any more
 * @throws PixUnavailable, PixRefused; the signal's reason
 */
export async function readBankDay(context: BankContext, day: Day, signal?: AbortSignal): Promise<BankDay> {
  const isInside = (moment: Date) => moment >= day.since && moment < day.until;
  const sort = sorter(context, signal);
  const listed = await list(context, day, { signal });
  // The time on record decides whether a Pix is of this day: the list's may lack its zone, and be hours off.
  const read = (await sort(listed.pix)).filter(({ pix, record }) => isInside(record?.paidAt ?? pix.paidAt));
  const unread = (await sort(listed.unreadable)).filter(({ record }) => !record || isInside(record.paidAt));
  const longAgo = await beginOfReturned(context, day);
  const returned = await list(context, { ...day, since: longAgo }, { signal, returned: true });
  const givenBack = (await sort(returned.pix)).filter(isOurs);
  const madeAt = await timesOfReturns(context, givenBack);
  const returns = givenBack.flatMap((one) => returnsOf(one, madeAt)).filter(({ at }) => isInside(at));
  const odd = givenBack.filter(({ pix }) => pix.oddRefunds > 0);
  return {
    entries: [...read.filter(isOurs).map(pixEntry), ...returns.map(({ entry }) => entry)],
    unreadable: [
      ...unread.filter(isOurs).map((one) => unreadableEntry(one, { isRefund: false, isOfDay: true })),
      // The day of their returns is unknown. They are named on the day of the Pix.
      ...returned.unreadable.map(({ endToEndId }) => ({ endToEndId, isRefund: false, isOfDay: false })),
      ...odd.map((one) =>
        unreadableEntry(one, { isRefund: true, isOfDay: oddDaysOf(one.pix).some(isInside) }),
      ),
    ],
    others: sumOf([...read, ...unread].filter(({ owner }) => owner === 'others')),
  };
}

/**
 * @returns from which time on the bank is asked for Pix with a return of this day: 92 days back, or further where an older
 * Pix is known. The bank may take days to make a return that was ordered in time
 */
async function beginOfReturned({ db, bank }: BankContext, day: Day): Promise<Date> {
  const oldest = (await findOldestReturned(db, { bank, ...day })) ?? day.since;
  // A list may give a Pix another time than the record has: it may leave the zone out.
  return new Date(Math.min(day.since.getTime() - returnedForMs, oldest.getTime() - dayMs));
}

const isOurs = ({ owner }: Sorted<ListedPix>) => owner === 'ours';

type ListOptions = { signal: AbortSignal | undefined; returned?: true };

/** @returns every Pix of a range once: a list may hold a second more than the range at each end */
async function list(
  { pix }: BankContext,
  { since, until }: Day,
  { signal, ...only }: ListOptions,
): Promise<PixEntries> {
  const read = new Map<string, ReceivedPix>();
  const unread = new Map<string | UnreadablePix, UnreadablePix>();
  for (const slice of slicesOf({ from: since, to: until }, pix.longestListMs))
    for await (const page of everyPage(pix, { ...slice, ...only }, { signal })) {
      for (const one of page.pix) read.set(one.endToEndId, together(one, read.get(one.endToEndId)));
      for (const one of page.unreadable) unread.set(one.endToEndId ?? one, one);
    }
  for (const endToEndId of read.keys()) unread.delete(endToEndId);
  return { pix: [...read.values()], unreadable: [...unread.values()] };
}

/** @returns a function that says of listed Pix whose they are, and what is on record of them */
function sorter(context: BankContext, signal: AbortSignal | undefined) {
  const ownerOf = ownerOfPix(context, signal);
  return async <Listed extends ListedPix>(listed: readonly Listed[]): Promise<Sorted<Listed>[]> => {
    const ids = listed.flatMap(({ endToEndId }) => endToEndId ?? []);
    const known = new Map((await findPix(context.db, ids)).map((one) => [one.endToEndId, one]));
    const sorted: Sorted<Listed>[] = [];
    for (const pix of listed) {
      const record = known.get(pix.endToEndId ?? '');
      sorted.push({ pix, record, owner: await ownerOf(pix, record) });
    }
    return sorted;
  };
}

const pixEntry = ({ pix: { endToEndId, amount, txid } }: Sorted<ReceivedPix>): Entry => ({
  endToEndId,
  amount,
  txid,
});

function unreadableEntry(
  { pix: { endToEndId, txid }, record }: Sorted<ListedPix>,
  about: Pick<UnreadableEntry, 'isRefund' | 'isOfDay'>,
): UnreadableEntry {
  return { endToEndId, txid, paymentId: record?.paymentId ?? null, ...about };
}

/** Where the bank gives no time of such a return, the day of its Pix shows it: it must not stand on every day. */
function oddDaysOf({ paidAt, oddRefunds, oddRefundsAt = [] }: ReceivedPix): Date[] {
  return oddRefundsAt.length < oddRefunds ? [...oddRefundsAt, paidAt] : oddRefundsAt;
}

function returnsOf(
  { pix: { endToEndId, txid, paidAt, refunds } }: Sorted<ReceivedPix>,
  known: ReadonlyMap<string, Date | null>,
): { at: Date; entry: Entry }[] {
  return refunds
    .filter(({ status }) => status === 'DEVOLVIDO')
    .map(({ id: refundId, amount, settledAt }) => ({
      // What is on record has its time: the bank's, or ours where it gives none or one to come.
      at: known.get(`${endToEndId} ${refundId.toLowerCase()}`) ?? settledAt ?? paidAt,
      entry: { endToEndId, refundId, amount, txid },
    }));
}

async function timesOfReturns({ db }: BankContext, returned: readonly Sorted<ReceivedPix>[]) {
  const known = await listRefundsOfPix(
    db,
    returned.map(({ pix }) => pix.endToEndId),
  );
  return new Map(known.map(({ endToEndId, id, madeAt }) => [`${endToEndId} ${id.toLowerCase()}`, madeAt]));
}

function sumOf(listed: readonly Sorted<ListedPix>[]): BankDay['others'] {
  const amounts = listed.map(({ pix }) => ('amount' in pix ? pix.amount : 0));
  return { count: listed.length, amount: amounts.reduce((sum, amount) => sum + amount, 0) };
}
