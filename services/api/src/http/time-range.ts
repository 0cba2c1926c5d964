import { addDays, isDay, startOf } from '@payments/domain/days';
import type { TimeRange } from '@payments/domain/time-ranges';
import { Type } from '@sinclair/typebox';
import { type Conditions, field, wrongField } from './errors/condition.ts';
import { rules } from './errors/field-rules.ts';
import { readDateTime } from './field-values.ts';

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

export const ofRange: Conditions = {
  fromInvalid: field('from', rules.dateTime, '`from` is neither a day nor a date-time with an offset.'),
  toInvalid: field('to', rules.dateTime, '`to` is neither a day nor a date-time with an offset.'),
};

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
  return isDayText(from) ? startOf(from) : readDateTime('from', from);
}

/** Our times have milliseconds, so the next one ends a range that includes this one. */
function endOfText(to: unknown): Date {
  return isDayText(to) ? startOf(addDays(to, 1)) : new Date(readDateTime('to', to).getTime() + 1);
}

/** @returns the moment, moved to the days that there are */
function withDay(moment: Date): Date {
  const ends = [startOf('1900-01-01'), startOf('9999-12-31')].map((end) => end.getTime()) as [number, number];
  return new Date(Math.min(Math.max(moment.getTime(), ends[0]), ends[1]));
}

function isDayText(value: unknown): value is string {
  return typeof value === 'string' && isDay(value);
}
