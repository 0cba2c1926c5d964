/** Days of the books: São Paulo's, written as `2026-11-23`. */

const timeZone = 'America/Sao_Paulo';
const dayMs = 24 * 60 * 60_000;
const lastDay = Date.parse('9999-12-31T00:00:00Z');
// Created at first use: loading the zone's data would delay the start.
let format: Intl.DateTimeFormat | undefined;

/** @returns the day of a moment */
export function dayOf(moment: Date): string {
  return wallClock(moment).slice(0, 10);
}

/** @returns the first moment of a day */
export function startOf(day: string): Date {
  const asUtc = Date.parse(`${day}T00:00:00Z`);
  const offset = Date.parse(`${wallClock(new Date(asUtc))}Z`) - asUtc;
  return new Date(asUtc - offset);
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
