import type { Page } from '@payments/database/filters';
import { addDays, isDay, startOf, type TimeRange } from '@payments/domain/days';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import validator from 'validator';
import { type Conditions, type FieldRule, field, rules, wrongField } from './errors/api-error.ts';

/** Readers for values of queries and bodies (Contract: validation). */

/** The most entries that a page of a list has. */
export const mostPerPage = 200;
const usualPerPage = 50;

/** @returns the query parameters of a list in pages; `readPage` reads them */
export const pageQuery = (what: string) => ({
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostPerPage,
      default: usualPerPage,
      description: `${what} per page.`,
    }),
  ),
});

export const ofPage = {
  pageNotAnInteger: field('page', rules.integer, '`page` is not an integer.'),
  pageTooLow: field('page', rules.atLeast(1), '`page` is less than 1.'),
  limitNotAnInteger: field('limit', rules.integer, '`limit` is not an integer.'),
  limitTooLow: field('limit', rules.atLeast(1), '`limit` is less than 1.'),
  limitTooHigh: field('limit', rules.atMost(mostPerPage), `\`limit\` is more than ${mostPerPage}.`),
} satisfies Conditions;

/**
 * Reads `page` and `limit` of a list's query (Contract: reading).
 * @throws ApiError 400 for the first value that is not an integer within its bounds
 */
export function readPage(query: { page?: unknown; limit?: unknown }): Page {
  const page = readPositiveInteger('page', query.page, 1);
  const limit = readPositiveInteger('limit', query.limit, usualPerPage);
  if (limit > mostPerPage) throw wrongField('limit', rules.atMost(mostPerPage));
  return { page, limit };
}

function readPositiveInteger(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw wrongField(name, rules.integer);
  if (number < 1) throw wrongField(name, rules.atLeast(1));
  return number;
}

/**
 * @returns the value, typed as one of the allowed ones
 * @throws ApiError 400 with the allowed values
 */
export function readOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw wrongField(name, rules.oneOf(allowed));
  return found;
}

/**
 * @returns the id in lower case, as ids are shown
 * @throws ApiError 400 for a value that is not a UUID
 */
export function readId(name: string, value: unknown): string {
  if (typeof value !== 'string' || !isId(value)) throw wrongField(name, rules.uuid);
  return value.toLowerCase();
}

/**
 * Reads text in the form that the database stores, so that the response equals later reads.
 * A lone surrogate, left by cutting an emoji, becomes U+FFFD.
 * @throws ApiError 400 for a null character, which PostgreSQL can't store
 */
export function readText(name: string, value: string): string {
  if (isUnstorable(value)) throw wrongField(name, rules.noNull);
  return value.toWellFormed();
}

/**
 * @returns true for text of more characters; a surrogate pair counts as one. A body may bring a text of 1 MB, whose characters
 *   are not to be counted
 */
export const isLonger = (text: string, longest: number) =>
  text.length > 2 * longest || [...text].length > longest;

/** @returns true for text that PostgreSQL refuses, so that nothing can have it as its name */
export const isUnstorable = (text: string) => text.includes('\0');

/** @returns true for text of which nothing is seen: spaces, controls, zero-width and filling characters alone */
export const isBlank = (text: string) =>
  !/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);

const longestSearch = 320;

/**
 * Reads a search text. The limit is the length of the longest e-mail or id.
 * @throws ApiError 400 for a value that is not one text, is empty or is too long
 */
export function readSearchText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongField(name, rules.string);
  const text = readText(name, value.trim());
  if (text === '') throw wrongField(name, rules.notEmpty);
  if (isLonger(text, longestSearch)) throw wrongField(name, rules.shortEnough(longestSearch));
  return text;
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads a point in time: an ISO 8601 date-time with its offset.
 * @throws ApiError 400 for anything else, including days that do not exist
 */
export function readDateTime(name: string, value: unknown, rule: FieldRule = rules.dateTime): Date {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  if (
    typeof value !== 'string' ||
    !dateTime.test(value) ||
    !validator.isISO8601(withLateYear(value), { strict: true }) ||
    Number.isNaN(date.getTime())
  ) {
    throw wrongField(name, rule);
  }
  return date;
}

/** The validator refuses the years below 100. Those of 2000 to 2099 have the same days. */
function withLateYear(text: string): string {
  return text.replace(/^00/, '20');
}

const form = 'a day of São Paulo (`2026-11-23`) or a date-time with an offset';
// No `format` has both, and generators make no usable type of a choice between two.
const text = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2}))?$',
      description,
      examples: ['2026-11-23', '2026-11-23T12:00:00.000Z'],
    }),
  );

/** @returns the query parameters of a range of time, ends included */
export const rangeQuery = (what: string) => ({
  from: text(`Only ${what} then or later: ${form}.`),
  to: text(`Only ${what} then or earlier: ${form}. A day counts to its end.`),
});

export const ofRange = {
  fromInvalid: field('from', rules.endOfRange, '`from` is neither a day nor a date-time with an offset.'),
  toInvalid: field('to', rules.endOfRange, '`to` is neither a day nor a date-time with an offset.'),
} satisfies Conditions;

export const ofOrder: Conditions = {
  toBeforeFrom: field('to', rules.notBeforeFrom, '`to` is before `from`.'),
};

/**
 * Reads a range of days or date-times, ends included.
 * @throws ApiError 400 for the first wrong end
 */
export function readRange({ from, to }: Record<string, unknown>): TimeRange {
  return {
    ...(from === undefined ? {} : { since: withDay(startOfText(from)) }),
    ...(to === undefined ? {} : { until: withDay(endOfText(to)) }),
  };
}

/**
 * Reads a range whose end is not before its beginning.
 * @throws ApiError 400 for a wrong end, or for ends in the wrong order
 */
export function readOrderedRange(query: Record<string, unknown>): TimeRange {
  const range = readRange(query);
  if (range.since && range.until && range.since >= range.until) throw wrongField('to', rules.notBeforeFrom);
  return range;
}

function startOfText(from: unknown): Date {
  return isDayText(from) ? startOf(from) : readDateTime('from', from, rules.endOfRange);
}

/** Our times have milliseconds, so the next one ends a range that includes this one. */
function endOfText(to: unknown): Date {
  return isDayText(to)
    ? startOf(addDays(to, 1))
    : new Date(readDateTime('to', to, rules.endOfRange).getTime() + 1);
}

/** @returns the moment, moved to the days that there are */
function withDay(moment: Date): Date {
  const ends = [startOf('1900-01-01'), startOf('9999-12-31')].map((end) => end.getTime()) as [number, number];
  return new Date(Math.min(Math.max(moment.getTime(), ends[0]), ends[1]));
}

function isDayText(value: unknown): value is string {
  return typeof value === 'string' && isDay(value);
}
