/** @returns the value that the share `p` (0 to 1) of them does not exceed; NaN of none */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? Number.NaN;
}

/** @returns the middle one, or the mean of the two in the middle; NaN of none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export type Spread = { low: number; high: number };

/** @returns the least and the greatest */
export function spread(values: readonly number[]): Spread {
  return { low: Math.min(...values), high: Math.max(...values) };
}

export type Ratio = Spread & { ratio: number };

/**
 * How one side stands to another, by their medians; the spread is that of the ratios round by round, which what
 * slowed down both sides of a round does not widen.
 */
export function ratioOf(values: readonly number[], beside: readonly number[]): Ratio {
  const byRound = values.slice(0, beside.length).map((value, round) => value / (beside[round] ?? Number.NaN));
  return { ratio: median(values) / median(beside), ...spread(byRound) };
}

/** What a ratio, or a figure, is to be. */
export type Wanted = { atLeast: number } | { atMost: number };

export function isMet(value: number, wanted: Wanted): boolean {
  return 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost;
}
