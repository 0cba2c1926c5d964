/** A bank as a new charge sees it. */
export type BankOnOffer = {
  id: string;
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

/**
 * Decides which banks are asked for a new charge, and in which order. A store's money goes only to banks of its list.
 * @param wanted the store's banks in order of preference; null for all
 * @param banks the configured banks in order of preference
 */
export function routeCharge(wanted: readonly string[] | null, banks: readonly BankOnOffer[]): Route[] {
  return banksOf(wanted, banks)
    .filter(({ isPaused, health }) => !isPaused && health !== 'failing')
    .map(({ id, health }) => ({ id, isProbe: health === 'probe' }));
}

/** @returns the configured banks that may take a store's charges, in the store's order */
export function banksOf<Bank extends { id: string }>(
  wanted: readonly string[] | null,
  banks: readonly Bank[],
): Bank[] {
  if (wanted === null) return [...banks];
  return wanted.flatMap((id) => banks.find((bank) => bank.id === id) ?? []);
}
