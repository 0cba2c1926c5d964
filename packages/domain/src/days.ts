/**
 * Days of the books: São Paulo's, written as `2026-11-23`. PostgreSQL's `day_of` must agree with `dayOf`, or a list and a
 * statement would show one payment on two days.
 */

const timeZone = 'America/Sao_Paulo';
const dayMs = 24 * 60 * 60_000;
const lastDay = Date.parse('9999-12-31T00:00:00Z');
// Created at first use: loading the zone's data would delay the start.
let format: Intl.DateTimeFormat | undefined;

/** @returns the day of a moment */
export function dayOf(moment: Date): string {
  return wallClock(moment).slice(0, 10);
}

/**
 * @returns the first moment of a day. Where clocks change at its beginning, its midnight has the offset from before or
 * from after the change: a day of 23 hours begins at 01:00, and the one after a day of 25 hours begins an hour later
 */
export function startOf(day: string): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`);
  const first = asUtc - offsetAt(asUtc);
  const second = asUtc - offsetAt(first);
  return new Date(Math.max(first, second));
}

/** @returns how far São Paulo's clocks are ahead of UTC at this moment, in milliseconds */
function offsetAt(time: number): number {
  return Date.parse(`${wallClock(new Date(time))}Z`) - time;
}

/** @returns the day that is so many days later, 9999-12-31 at most */
export function addDays(day: string, days: number): string {
  const time = Date.parse(`${day}T00:00:00Z`) + days * dayMs;
  return new Date(Math.min(time, lastDay)).toISOString().slice(0, 10);
}

/** @returns whether the text is a day that exists, of the years 1900 to 9999 */
export function isDay(text: string): boolean {
  if (!/^(19|[2-9]\d)\d{2}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** @returns the moment as São Paulo's clocks show it: `2026-11-23T21:04:05` */
function wallClock(moment: Date): string {
  format ??= new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(moment).replace(' ', 'T');
}

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
