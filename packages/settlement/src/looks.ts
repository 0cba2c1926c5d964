/** The bank's responses in a row, some time apart, after which what they do not show is believed not to be there. */
export const looksUntilBelieved = 4;

/** The pauses between looks: a bank's copies are equal again within seconds. */
export const lookPauses = { firstMs: 5_000, longestMs: 30_000 };

/**
 * One answer proves nothing: a bank's copies lag behind each other, and a request that hung may reach its books late.
 * @param looks how many responses in a row did not show it, this one included
 */
export function isBelieved(looks: number): boolean {
  return looks >= looksUntilBelieved;
}
