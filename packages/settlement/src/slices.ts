/** A range of time at the PSP. */
export type Slice = { from: Date; to: Date };

// Banco do Brasil refuses ranges of five days.
const longestMs = 4 * 24 * 60 * 60_000;

/** @returns the range in slices that every bank lists, oldest first; one empty slice for an inverted range */
export function slicesOf({ from, to }: Slice): Slice[] {
  const slices: Slice[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += longestMs) {
    const end = Math.min(start + longestMs, to.getTime());
    slices.push({ from: new Date(start), to: new Date(end) });
  }
  return slices;
}
