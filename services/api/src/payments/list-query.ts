import type { Page } from '@payments/database/payments/pages';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import { readId, readOneOf, readPage } from '../field-values.ts';

export type ListQuery = Page & { status?: PaymentStatus; after?: string };

/**
 * Validates the list's query (Contract: reading).
 * @throws ApiError 400 for the first wrong parameter, in the order page, limit, status, after
 */
export function readListQuery({ status, after, ...query }: Record<string, unknown>): ListQuery {
  return {
    ...readPage(query),
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(after === undefined ? {} : { after: readId('after', after) }),
  };
}
