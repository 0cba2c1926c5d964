/** A store's own choices, beyond the contract's ways (Contract: a store's choices). */

/** The events that webhooks bring only to stores that ask for them. */
export const optionalEvents = ['payment.updated', 'refund.updated'] as const;
export type OptionalEvent = (typeof optionalEvents)[number];

/** The deeds that a store's token does only where the store allows them. */
export const tokenDeeds = ['refund', 'cancel'] as const;
export type TokenDeed = (typeof tokenDeeds)[number];

/** A store's choices; the limit in centavos, null for none. */
export type StoreChoices = {
  events: OptionalEvent[];
  tokenMay: TokenDeed[];
  refundLimitPerDay: number | null;
};

/** The names of a store's choices, which its own administrators may change; a store's other fields are the platform's. */
export const storeChoices = [
  'events',
  'tokenMay',
  'refundLimitPerDay',
] as const satisfies (keyof StoreChoices)[];

/**
 * @param limit what the store's tokens may refund in a day, in centavos; null for no limit
 * @param ordered what they have ordered that day and has not failed, in centavos
 * @returns whether they may order so much more
 */
export function isWithinDay(limit: number | null, ordered: number, amount: number): boolean {
  return limit === null || ordered + amount <= limit;
}
