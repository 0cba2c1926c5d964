/** A range of time at the PSP. */
export type Slice = { from: Date; to: Date };

/**
 * @param longestMs the longest range that the bank lists
 * @returns the range in parts that the bank lists, first to last; none where it begins after its end
 */
export function slicesOf({ from, to }: Slice, longestMs: number): Slice[] {
  const slices: Slice[] = [];
  for (let start = from.getTime(); start < to.getTime(); start += longestMs) {
    const end = Math.min(start + longestMs, to.getTime());
    slices.push({ from: new Date(start), to: new Date(end) });
  }
  return slices;
}
