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

type Kind = 'missing_here' | 'missing_at_bank' | 'amount_differs';

/** A difference between the bank's day and ours; an amount that does not exist is absent. */
export type Difference = {
  kind: Kind | `refund_${Kind}`;
  endToEndId: string;
  refundId?: string;
  paymentId?: string;
  txid?: string;
  bankAmount?: number;
  ourAmount?: number;
};

/** @returns every difference between a bank's day and ours: first what we lack, then what the bank lacks */
export function compareDay(bank: readonly Entry[], ours: readonly Entry[]): Difference[] {
  const [atBank, here] = [byKey(bank), byKey(ours)];
  const differences: Difference[] = [];
  for (const [key, entry] of atBank) {
    const own = here.get(key);
    if (!own) differences.push(difference('missing_here', entry, undefined));
    else if (own.amount !== entry.amount) differences.push(difference('amount_differs', entry, own));
  }
  for (const [key, own] of here)
    if (!atBank.has(key)) differences.push(difference('missing_at_bank', undefined, own));
  return differences;
}

function byKey(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(entries.map((entry) => [`${entry.endToEndId} ${entry.refundId ?? ''}`, entry]));
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
