import { addDays, dayOf } from './days.ts';

/** A look this long after a day's end sees all of the day: a bank may list a Pix a quarter of an hour late. */
export const listedLateMs = 30 * 60_000;

/** How many days back the calendar shows, and differences count, today included. */
export const shownDays = 90;

/** @returns the first of these days */
export function firstShownDay(now: Date): string {
  return addDays(dayOf(now), 1 - shownDays);
}

/** @returns whether a look at this moment sees the whole day */
export function isWhole(day: string, seenAt: Date): boolean {
  return dayOf(new Date(seenAt.getTime() - listedLateMs)) > day;
}

/** A Pix of a day, or a return when it has a refundId; amount in centavos. */
export type Entry = {
  endToEndId: string;
  refundId?: string;
  amount: number;
  paymentId?: string | null;
  txid?: string | null;
};

/** Number and sum, in centavos, of a day's Pix and returns. */
export type DayFigures = {
  pixCount: number;
  pixAmount: number;
  refundCount: number;
  refundAmount: number;
};

/** A Pix, or a return of it, that the bank lists and that can't be read. */
export type UnreadableEntry = {
  /** Null if the bank gave none. */
  endToEndId: string | null;
  isRefund: boolean;
  /** False for one of another day: it is no difference by itself, but explains what seems to be missing. */
  isOfDay: boolean;
  paymentId?: string | null;
  txid?: string | null;
};

type Kind = 'missing_here' | 'missing_at_bank' | 'amount_differs' | 'unreadable';

/** A difference between the bank's day and ours; an amount that does not exist, or can't be read, is absent. */
export type Difference = {
  kind: Kind | `refund_${Kind}`;
  /** Absent only for what can't be read, where the bank gave none. */
  endToEndId?: string;
  refundId?: string;
  paymentId?: string;
  txid?: string;
  bankAmount?: number;
  ourAmount?: number;
};

/**
 * @returns every difference between a bank's day and ours: first what we lack, then what can't be read, then what the
 * bank lacks
 */
export function compareDay(
  bank: readonly Entry[],
  ours: readonly Entry[],
  unreadable: readonly UnreadableEntry[] = [],
): Difference[] {
  const keyOf = keysOf([bank, ours]);
  const byKey = (entries: readonly Entry[]) => new Map(entries.map((entry) => [keyOf(entry), entry]));
  const [atBank, here] = [byKey(bank), byKey(ours)];
  const differences: Difference[] = [];
  for (const [key, entry] of atBank) {
    const own = here.get(key);
    if (!own) differences.push(difference('missing_here', entry, undefined));
    else if (own.amount !== entry.amount) differences.push(difference('amount_differs', entry, own));
  }
  const isDoubtful = isIn(unreadable);
  const unseen = ours.filter((own) => !atBank.has(keyOf(own)));
  const doubtful = unseen.filter(isDoubtful);
  const named = new Set(doubtful.map(placeOf));
  const others = unreadable.filter((one) => one.isOfDay && !named.has(placeOf(one)));
  return [
    ...differences,
    ...doubtful.map((own) => difference('unreadable', undefined, own)),
    ...others.map(unread),
    ...unseen.filter((own) => !isDoubtful(own)).map((own) => difference('missing_at_bank', undefined, own)),
  ];
}

/** An entry can't be compared if the bank's Pix, or some return of it, can't be read. */
function isIn(unreadable: readonly UnreadableEntry[]): (own: Entry) => boolean {
  const places = new Set(unreadable.map(placeOf));
  return (own) => places.has(placeOf(own)) || places.has(placeOf({ endToEndId: own.endToEndId }));
}

type Place = Pick<Entry, 'refundId'> & { endToEndId: string | null; isRefund?: boolean };

/** A Pix, or all its returns: one that can't be read has no id to tell it from the others. */
function placeOf({ endToEndId, refundId, isRefund = refundId !== undefined }: Place): string {
  return `${endToEndId?.toUpperCase()} ${isRefund}`;
}

/**
 * A bank may list a Pix or a return in another case than it showed it in. Two Pix of one book that differ in their case
 * alone are two.
 */
function keysOf(books: (readonly Entry[])[]): (entry: Entry) => string {
  const several = new Set(books.flatMap(severalCases));
  return ({ endToEndId, refundId = '' }) => {
    const capitals = endToEndId.toUpperCase();
    return `${several.has(capitals) ? endToEndId : capitals} ${refundId.toLowerCase()}`;
  };
}

/** @returns in capitals the endToEndIds that a book has in more than one case */
function severalCases(book: readonly Entry[]): string[] {
  const ids = new Set(book.map(({ endToEndId }) => endToEndId));
  const cases = Map.groupBy(ids, (id) => id.toUpperCase());
  return [...cases].flatMap(([capitals, all]) => (all.length > 1 ? capitals : []));
}

function unread({ endToEndId, isRefund, paymentId, txid }: UnreadableEntry): Difference {
  return {
    kind: isRefund ? 'refund_unreadable' : 'unreadable',
    ...(endToEndId !== null && { endToEndId }),
    ...(paymentId && { paymentId }),
    ...(txid && { txid }),
  };
}

function difference(kind: Kind, bank: Entry | undefined, own: Entry | undefined): Difference {
  const { endToEndId, refundId } = (own ?? bank) as Entry;
  const paymentId = own?.paymentId ?? bank?.paymentId;
  const txid = own?.txid ?? bank?.txid;
  return {
    kind: refundId === undefined ? kind : `refund_${kind}`,
    endToEndId,
    ...(refundId !== undefined && { refundId }),
    ...(paymentId && { paymentId }),
    ...(txid && { txid }),
    ...(bank && { bankAmount: bank.amount }),
    ...(own && { ourAmount: own.amount }),
  };
}

/** @returns the sums of a day's entries */
export function figuresOf(entries: readonly Entry[]): DayFigures {
  const figures = { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
  for (const { refundId, amount } of entries) {
    const kind = refundId === undefined ? 'pix' : 'refund';
    figures[`${kind}Count`] += 1;
    figures[`${kind}Amount`] += amount;
  }
  return figures;
}

/** @returns the figures of several banks together */
export function addFigures(all: readonly DayFigures[]): DayFigures {
  const sum = (name: keyof DayFigures) => all.reduce((total, figures) => total + figures[name], 0);
  return {
    pixCount: sum('pixCount'),
    pixAmount: sum('pixAmount'),
    refundCount: sum('refundCount'),
    refundAmount: sum('refundAmount'),
  };
}
