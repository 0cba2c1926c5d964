import { median } from './statistics.ts';

/** One side's values, round by round. */
export type Figure = { side: string; what: string; unit: string; values: number[] };

export type Wanted = { atLeast: number } | { atMost: number };

/** A line of the report's first table. */
export type Floor = {
  what: string;
  /** The side to compare with. */
  beside?: string;
  unit: '' | 'ms' | 'MB';
  value: number;
  low: number;
  high: number;
  wanted: Wanted;
  met: boolean;
};

/** @returns one side's median as a share of another's, with the range of the rounds' ratios */
export function ratioFloor(what: string, [side, beside]: [Figure, Figure], wanted: Wanted): Floor {
  const value = median(side.values) / median(beside.values);
  return {
    what,
    beside: beside.side,
    unit: '',
    value,
    ...rangeOf(ratiosOf([side, beside])),
    wanted,
    met: isMet(value, wanted),
  };
}

/** @returns one side's values as shares of another's, to be shown without a floor */
export function ratioFigure([side, beside]: [Figure, Figure]): Figure {
  return {
    ...side,
    what: `${side.what}, beside ${beside.side}`,
    unit: '×',
    values: ratiosOf([side, beside]),
  };
}

/** Round by round. */
function ratiosOf([side, beside]: [Figure, Figure]): number[] {
  return side.values.slice(0, beside.values.length).map((one, round) => one / beside.values[round]!);
}

/** @returns one side's median, compared with a fixed figure */
export function figureFloor(what: string, { values }: Figure, unit: 'ms' | 'MB', wanted: Wanted): Floor {
  const value = median(values);
  return { what, unit, value, ...rangeOf(values), wanted, met: isMet(value, wanted) };
}

export function rangeOf(values: readonly number[]): { low: number; high: number } {
  return { low: Math.min(...values), high: Math.max(...values) };
}

/** NaN, for a failed measurement, meets no floor. */
export function isMet(value: number, wanted: Wanted): boolean {
  return 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost;
}
