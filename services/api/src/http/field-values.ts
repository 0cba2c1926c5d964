import type { Page } from '@payments/database/filters';
import { isId } from '@payments/domain/identifiers';
import validator from 'validator';
import { wrongField } from './errors/condition.ts';
import { rules } from './errors/field-rules.ts';

/** Readers for values of queries and bodies (Contract: validation). */

const defaultLimit = 50;
const maxLimit = 200;

/**
 * Reads `page` and `limit` of a list's query (Contract: reading).
 * @throws ApiError 400 for the first value that is not an integer within its bounds
 */
export function readPage(query: { page?: unknown; limit?: unknown }): Page {
  const page = readPositiveInteger('page', query.page, 1);
  const limit = readPositiveInteger('limit', query.limit, defaultLimit);
  if (limit > maxLimit) throw wrongField('limit', rules.atMost(maxLimit));
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
  if (value.includes('\0')) throw wrongField(name, rules.noNull);
  return value.toWellFormed();
}

const longestSearch = 320;

/**
 * Reads a search text. The limit is the length of the longest e-mail or id.
 * @throws ApiError 400 for a value that is not one text, is empty or is too long
 */
export function readSearchText(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongField(name, rules.string);
  const text = readText(name, value.trim());
  if (text === '') throw wrongField(name, rules.notEmpty);
  if (text.length > longestSearch) throw wrongField(name, rules.shortEnough(longestSearch));
  return text;
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads a point in time: an ISO 8601 date-time with its offset.
 * @throws ApiError 400 for anything else, including days that do not exist
 */
export function readDateTime(name: string, value: unknown): Date {
  const date = new Date(typeof value === 'string' ? value : Number.NaN);
  if (
    typeof value !== 'string' ||
    !dateTime.test(value) ||
    !validator.isISO8601(value, { strict: true }) ||
    Number.isNaN(date.getTime())
  ) {
    throw wrongField(name, rules.dateTime);
  }
  return date;
}
