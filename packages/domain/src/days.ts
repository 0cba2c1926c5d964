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
