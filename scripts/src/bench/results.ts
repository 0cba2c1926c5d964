import { isMet, median, type Ratio, ratioOf, type Wanted } from './statistics.ts';

/** What one side did, round by round. */
export type Figure = {
  side: string;
  what: string;
  unit: string;
  values: number[];
  /** CPU seconds for 1000 operations by process, round by round. */
  cpu: Record<string, number[]>;
  /** The most memory that each process had resident so far, in MB. */
  peakMb: Record<string, number>;
};

/** A line of the table of what is wanted, with what came of it. */
export type Verdict = {
  what: string;
  beside: string;
  unit: 'ratio' | 'ms' | 'MB';
  value: number;
  /** The ratio's spread, round by round; of a figure, none. */
  low?: number;
  high?: number;
  wanted: Wanted;
  met: boolean;
};

export type ScenarioResult = {
  name: string;
  title: string;
  /** How it was measured. */
  conditions: string[];
  figures: Figure[];
  verdicts: Verdict[];
  /** What else was seen: plans, waits, what was left out. */
  notes: string[];
};

/** Judges a ratio of two figures. */
export function judgeRatio(what: string, [side, beside]: [Figure, Figure], wanted: Wanted): Verdict {
  const ratio: Ratio = ratioOf(side.values, beside.values);
  const { ratio: value, low, high } = ratio;
  return { what, beside: beside.side, unit: 'ratio', value, low, high, wanted, met: isMet(value, wanted) };
}

/** Judges a figure by itself. */
export function judgeFigure(what: string, figure: Figure, unit: 'ms' | 'MB', wanted: Wanted): Verdict {
  const value = median(figure.values);
  return { what, beside: '–', unit, value, wanted, met: isMet(value, wanted) };
}

/** @returns the figure with the greatest median */
export function bestOf(figures: readonly Figure[]): Figure | undefined {
  return figures.toSorted((a, b) => median(b.values) - median(a.values))[0];
}
