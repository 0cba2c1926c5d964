import { textOf } from './json.ts';

/**
 * The times that banks give. API Pix has them with a zone (RFC 3339). A bank that leaves it out may mean UTC or São
 * Paulo's clocks: three hours that can turn a Pix in time into a late one, and a late one into one in time. Some banks
 * write `Z` after São Paulo's time (bacen/pix-api, issues 163 and 573). Some write the day as Brazilians do, or a
 * default of their language, such as 0001-01-01 or 9999-12-31, where they have no time.
 */

/** São Paulo's clocks are so far behind UTC. */
const behindMs = 3 * 60 * 60_000;
/** Half of that: nearer to a minute that is known, a time can have only one of the two meanings. */
const nearMs = behindMs / 2;

/** A time, and its other meaning where that is in doubt. */
export type BankTime = { at: Date; otherwise?: Date };

/**
 * @param minute about when it was, by another field; null if none tells. Where a time without a zone, or with `Z`, is
 * near it in one meaning, that one counts; otherwise UTC, which stays in doubt without a zone. A day without a time of
 * day is that minute where it lies on the day, and noon in São Paulo where it does not
 * @returns null for what is no time, or one of before there was Pix or after this century
 */
export function readTime(value: unknown, minute: Date | null): BankTime | null {
  const { utc, zone, isDay } = parseTime(textOf(value) ?? '') ?? {};
  // An invalid date is not later either.
  if (!utc || !(utc.getTime() >= earliest && utc.getTime() < latest)) return null;
  if (zone && zone !== 'Z') return { at: utc };
  const local = new Date(utc.getTime() + behindMs);
  if (isDay) return { at: timeOfDay(local, minute) };
  const isNear = (time: Date) => minute !== null && Math.abs(time.getTime() - minute.getTime()) < nearMs;
  const meant = [local, utc].find(isNear);
  if (meant) return { at: meant };
  return zone ? { at: utc } : { at: utc, otherwise: local };
}

const earliest = Date.parse('2020-01-01T00:00:00Z');
const latest = Date.parse('2100-01-01T00:00:00Z');
const halfDayMs = 12 * 60 * 60_000;

/** @returns the minute if it is on this day, São Paulo's or UTC's; otherwise the day's noon */
function timeOfDay(midnight: Date, minute: Date | null): Date {
  const noon = new Date(midnight.getTime() + halfDayMs);
  const isOn = minute !== null && Math.abs(minute.getTime() - noon.getTime()) < halfDayMs + behindMs;
  return isOn ? minute : noon;
}

// Java writes the zone's name behind its offset.
const form =
  /^(?:(\d{4})[-/](\d\d)[-/](\d\d)|(\d\d)[-/](\d\d)[-/](\d{4}))(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))? ?(?:(Z)|([+-]\d\d):?(\d\d)?)?)?(?:\[[^[\]]*\])?$/i;

/** JavaScript's own parser takes 05/11 for May. @returns null for another form; without a zone, as if it were UTC */
function parseTime(text: string): { utc: Date; zone: string | undefined; isDay: boolean } | null {
  const match = form.exec(text.trim());
  if (!match) return null;
  const [, year = match[6], month = match[5], day = match[4]] = match;
  const isDay = match[7] === undefined;
  const [minute = '00:00', second = ':00', fraction = '0', z, hours, minutes = '00'] = match.slice(7);
  const offset = hours && `${hours}:${minutes}`;
  return {
    utc: new Date(`${year}-${month}-${day}T${minute}${second}.${fraction}${offset ?? 'Z'}`),
    zone: offset ?? z?.toUpperCase(),
    isDay,
  };
}

/**
 * @param id an endToEndId or rtrId: E or D, eight letters or digits of ISPB, yyyyMMddHHmm, eleven more
 * @returns the minute of the Pix or of the return; null for an id of another form
 */
export function timeInside(id: string): Date | null {
  const match = /^[ED][0-9A-Z]{8}(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})/i.exec(id);
  if (!match) return null;
  const time = new Date(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}
