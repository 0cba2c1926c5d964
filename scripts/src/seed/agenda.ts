/** An event of the month, its payment and its time. */
export type Entry = { at: Date; of: object; happen: () => Promise<void> };

const togetherMs = 2 * 60_000;
const togetherAtMost = 4;

/**
 * Groups entries that lie within a few minutes, to live through a month quickly.
 * @returns the groups in the order of time; none has two entries of the same payment
 */
export function groupsOf(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries.toSorted((one, other) => one.at.getTime() - other.at.getTime())) {
    const last = groups.at(-1);
    const first = last?.[0];
    const fits =
      last &&
      first &&
      last.length < togetherAtMost &&
      entry.at.getTime() - first.at.getTime() < togetherMs &&
      !last.some(({ of }) => of === entry.of);
    if (fits) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** @returns the time of a group: none of its entries is early */
export function timeOf(group: readonly Entry[]): Date {
  return group.at(-1)!.at;
}
