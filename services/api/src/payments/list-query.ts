import type { Page } from '@payments/database/payments';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { errors } from '../errors/errors.ts';

export type ListQuery = Page & { status?: PaymentStatus };

const defaultLimit = 50;
const maxLimit = 200;

/**
 * Judges the list's query, with class-validator's wording as the spec's own messages (spec 4.3, design 5).
 * @throws ApiError 400 for the first parameter that is wrong
 */
export function readListQuery(query: Record<string, unknown>): ListQuery {
  const page = readInteger('page', query.page, 1);
  const limit = readInteger('limit', query.limit, defaultLimit);
  if (limit > maxLimit) throw errors.invalidField(`limit must not be greater than ${maxLimit}`);
  return { page, limit, ...readStatus(query.status) };
}

function readInteger(name: string, value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw errors.invalidField(`${name} must be an integer number`);
  if (number < 1) throw errors.invalidField(`${name} must not be less than 1`);
  return number;
}

function readStatus(value: unknown): { status?: PaymentStatus } {
  if (value === undefined) return {};
  const status = paymentStatuses.find((known) => known === value);
  if (status) return { status };
  throw errors.invalidField(`status must be one of the following values: ${paymentStatuses.join(', ')}`);
}
