import type { Page } from '@payments/database/filters';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import type { TimeRange } from '@payments/domain/time-ranges';
import { readId, readOneOf, readPage } from '../field-values.ts';
import { readRange } from '../time-range.ts';
import { readReference } from './reference.ts';

export type ListQuery = Page & TimeRange & { status?: PaymentStatus; after?: string; reference?: string };

/**
 * Validates the list's query (Contract: reading).
 * @throws ApiError 400 for the first wrong parameter, in the order page, limit, status, after, reference, from, to
 */
export function readListQuery({ status, after, reference, ...query }: Record<string, unknown>): ListQuery {
  return {
    ...readPage(query),
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(after === undefined ? {} : { after: readId('after', after) }),
    ...(reference === undefined ? {} : { reference: readReference(reference) }),
    ...readRange(query),
  };
}
