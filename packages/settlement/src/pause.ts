export type Pauses = { firstMs: number; longestMs: number };

/** @returns when to try again: the pause doubles with each try, up to the longest */
export function tryAgainAt(tries: number, now: Date, { firstMs, longestMs }: Pauses): Date {
  const doubled = firstMs * 2 ** Math.min(Math.max(0, tries - 1), 30);
  return new Date(now.getTime() + Math.min(longestMs, doubled));
}
