export type Pauses = { firstMs: number; longestMs: number };

/** @returns the time of the next try: the pause doubles with each try, up to the longest */
export function tryAgainAt(tries: number, now: Date, { firstMs, longestMs }: Pauses): Date {
  const doubled = firstMs * 2 ** Math.min(Math.max(0, tries - 1), 30);
  return new Date(now.getTime() + Math.min(longestMs, doubled));
}
