import type { RefundFilter } from '@payments/database/refunds/list';
import type { RefundState } from '@payments/domain/refunds';
import { Type } from '@sinclair/typebox';
import type { Actor } from '../../access/actor.ts';
import { readStoreFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { readOneOf } from '../../http/field-values.ts';
import { rangeQuery, readRange } from '../../http/time-range.ts';
import { bankQuery, readBankFilter } from '../banks/bank-filter.ts';

/** The filters of refunds, beside their states. */
export const refundQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only refunds of this store.' })),
  ...bankQuery,
  ...rangeQuery('refunds ordered'),
};

export const refundStates = [
  'requested',
  'processing',
  'refunded',
  'failed',
] as const satisfies RefundState[];

/**
 * Reads the filter of refunds from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readRefundFilter(
  context: AdministrationContext,
  actor: Actor,
  query: Record<string, unknown>,
  states: readonly RefundState[] = refundStates,
): RefundFilter {
  const { state } = query;
  return {
    ...readStoreFilter(actor, query),
    ...readBankFilter(context, query),
    ...readRange(query),
    ...(state === undefined ? {} : { state: readOneOf('state', state, states) }),
  };
}
