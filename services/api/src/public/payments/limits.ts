/** Limits of a payment's fields, for its schema, its readers and what the documents say of them (Contract: validation). */

/** Centavos. A store's own maximum may be another, up to the highest. */
export const amounts = { least: 500, most: 300_000, mostOfAnyStore: 100_000_000 };

/** Characters; a surrogate pair counts as one. */
export const lengths = { observation: 2_048, reference: 100, description: 140, idempotencyKey: 255 };

/** Seconds to pay: 30 days. */
export const longestExpiry = 2_592_000;
