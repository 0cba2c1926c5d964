import { periods, type StatementQuery } from '@payments/database/totals/statement';
import { isDay } from '@payments/domain/days';
import { Type } from '@sinclair/typebox';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readOneOf } from '../../http/field-values.ts';
import { oneOf } from '../shapes.ts';

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

export const statementQuery = {
  from: day('The first day, like `2026-11-01`; the store’s first one if absent.'),
  to: day('The last day, included.'),
  by: Type.Optional(Type.Unsafe({ ...oneOf(periods, 'The length of a period.'), default: 'day' })),
};

/**
 * Reads the days of a statement.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readStatementQuery(query: Record<string, unknown>): Omit<StatementQuery, 'storeId'> {
  const [from, to] = [readDay('from', query.from), readDay('to', query.to)];
  if (from !== undefined && to !== undefined && from > to) throw wrongField('to', rules.notBeforeFrom);
  return { from, to, by: readOneOf('by', query.by ?? 'day', periods) };
}

function readDay(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !isDay(value)) throw wrongField(name, rules.dateTime);
  return value;
}
