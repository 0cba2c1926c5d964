import type { PaymentSearch } from '@payments/database/payments/search';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import type { Actor } from '../../access/actor.ts';
import { readStoreFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { readOneOf, readSearchText } from '../../http/field-values.ts';
import { rangeQuery, readRange } from '../../http/time-range.ts';
import { statusQuery } from '../../public/payments/schemas.ts';
import { bankQuery, readBankFilter } from '../banks/bank-filter.ts';

/** The filters of the search, also of its CSV. */
export const searchQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
  status: statusQuery,
  ...bankQuery,
  ...rangeQuery('payments created'),
  q: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'A whole id, txid, endToEndId (of any Pix of the payment) or reference, or a part of the e-mail or the ' +
        'observation.',
    }),
  ),
};

/**
 * Reads the search from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readPaymentSearch(
  context: AdministrationContext,
  actor: Actor,
  query: Record<string, unknown>,
): PaymentSearch {
  const { status, q } = query;
  return {
    ...readStoreFilter(actor, query),
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...readBankFilter(context, query),
    ...readRange(query),
    ...(q === undefined ? {} : { q: readSearchText('q', q) }),
  };
}
