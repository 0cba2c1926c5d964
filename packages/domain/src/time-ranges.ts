import { addDays, dayOf, startOf } from './days.ts';

/** A range of time; `since` is inclusive, `until` is not, and an absent end is open. */
export type TimeRange = { since?: Date | undefined; until?: Date | undefined };

/** Whole days; `from` is inclusive, `before` is not, and null is open. */
export type DayRange = { from: string | null; before: string | null };

export type SplitRange = {
  days: DayRange;
  /** The parts of days at the ends. */
  parts: { since: Date; until: Date }[];
};

/** @returns the whole days of a range, and the parts of days beside them */
export function splitRange({ since, until }: TimeRange): SplitRange {
  if (since && until && since >= until) return { days: none, parts: [] };
  const first = since && dayOf(since);
  const last = until && dayOf(until);
  if (since && until && first === last && since > startOf(dayOf(since)))
    return { days: none, parts: [{ since, until }] };
  const isCut = since && first && since > startOf(first);
  const from = isCut ? addDays(first, 1) : (first ?? null);
  const head = isCut && from ? [{ since, until: startOf(from) }] : [];
  const tail = until && last && until > startOf(last) ? [{ since: startOf(last), until }] : [];
  return { days: { from, before: last ?? null }, parts: [...head, ...tail] };
}

const none: DayRange = { from: '9999-12-31', before: '1900-01-01' };
