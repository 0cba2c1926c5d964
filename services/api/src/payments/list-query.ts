import type { Page } from '@payments/database/payments/pages';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { readOneOf, readPage } from '../field-values.ts';

export type ListQuery = Page & { status?: PaymentStatus };

/**
 * Judges the list's query (Contract: reading).
 * @throws ApiError 400 for the first parameter that is wrong, in the order page, limit, status
 */
export function readListQuery(query: Record<string, unknown>): ListQuery {
  const page = readPage(query);
  if (query.status === undefined) return page;
  return { ...page, status: readOneOf('status', query.status, paymentStatuses) };
}
