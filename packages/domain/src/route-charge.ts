/** A bank as a new charge sees it. */
export type BankOnOffer = OfKind & {
  /** A person paused it: it gets no new charges. */
  isPaused: boolean;
  /** `probe` if it was failing, and one call may find out whether it still is. */
  health: 'well' | 'failing' | 'probe';
};

/** A bank to ask for a charge. */
export type Route = {
  id: string;
  /** It is likely to fail, so the next bank should not wait long for it. */
  isProbe: boolean;
};

/** The one bank of test stores. No other store's charge goes there (Contract: test stores). */
export const testBank = 'test';

/** @returns whether a bank is the one of test stores */
export const isTestBank = (id: string) => id === testBank;

/** A bank, real or the one of test stores. */
export type OfKind = { id: string };

/** A store as the choice of banks sees it: whether it is a test store, for ever, and its banks in order, null for all. */
export type RoutedStore = { test: boolean; banks: readonly string[] | null };

/**
 * Decides which banks are asked for a new charge, and in which order. A store's money goes only to banks of its list, and
 * a test store's only to the test bank.
 * @param banks the configured banks in order of preference
 */
export function routeCharge(store: RoutedStore, banks: readonly BankOnOffer[]): Route[] {
  return banksOf(store, banks)
    .filter(({ isPaused, health }) => !isPaused && health !== 'failing')
    .map(({ id, health }) => ({ id, isProbe: health === 'probe' }));
}

/** @returns the configured banks that may take a store's charges, in the store's order */
export function banksOf<Bank extends OfKind>(
  { test, banks: wanted }: RoutedStore,
  banks: readonly Bank[],
): Bank[] {
  const possible = banks.filter(({ id }) => isTestBank(id) === test);
  if (test || wanted === null) return possible;
  return wanted.flatMap((id) => possible.find((bank) => bank.id === id) ?? []);
}

declare const matched: unique symbol;

/**
 * A payment and a bank that its charge may go to: both of a test store, or neither. Only {@link matching} makes one, so
 * nothing else can bring a test store's charge to a real bank, or another's to the test bank.
 */
export type Matching<Terms, Bank> = { terms: Terms; bank: Bank; readonly [matched]: true };

/** @throws Error for a test store's payment and a real bank, or the other way round */
export function matching<Terms extends { test: boolean }, Bank extends OfKind>(
  terms: Terms,
  bank: Bank,
): Matching<Terms, Bank> {
  if (terms.test !== isTestBank(bank.id))
    throw new Error(`bank ${bank.id} takes no ${terms.test ? 'test' : 'real'} charge`);
  return { terms, bank } as Matching<Terms, Bank>;
}

/** The deeds that a test store asks of the simulated bank, each on one of its payments (Contract: test stores). */
export const testDeeds = ['pay', 'pay_other_amount', 'pay_late', 'pay_twice', 'take_back'] as const;
export type TestDeed = (typeof testDeeds)[number];

/**
 * @param given in centavos; undefined if the request names none
 * @returns what a deed pays, in centavos; for `take_back` undefined is all that is left
 */
export function amountOfDeed(deed: TestDeed, charged: number, given: number | undefined): number | undefined {
  if (given !== undefined || deed === 'take_back') return given;
  return deed === 'pay_other_amount' ? charged + 100 : charged;
}
