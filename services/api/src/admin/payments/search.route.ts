import { type PaymentSearch, searchPayments } from '@payments/database/payments/search';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { readDateTime, readId, readOneOf, readPage, readSearchText } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofAdministrator, ofKey, ofPage, ofSearch } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { foundView } from './found-view.ts';

const schema = {
  operationId: 'searchPayments',
  summary: 'Search payments of all stores, newest first',
  description:
    'A payment must match every filter. `q` is an id, a txid, the endToEndId of a received Pix, or the customer’s ' +
    'whole e-mail in any case. With `since`, `until` or `q`, `total` stops at 10,000, and `totalIsLowerBound` is true.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
    status: Type.Optional(Type.Ref('PaymentStatus')),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only payments created then or later.' }),
    ),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only payments created before then.' }),
    ),
    q: Type.Optional(
      Type.String({ maxLength: 320, description: 'An id, a txid, an endToEndId or an e-mail.' }),
    ),
    ...pageQuery,
  }),
  response: {
    200: answerOf('A page of the payments found.', Type.Ref('FoundPayments')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage, ofSearch),
  },
};

/** `GET /admin/payments`. */
export function searchRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/payments', { schema, ...skipValidation }, async (request) => {
    const page = readPage(request.query);
    const { items, ...totals } = await searchPayments(context.db, readPaymentSearch(request.query), page);
    return { items: items.map((payment) => foundView(payment, context.publicUrl)), ...page, ...totals };
  });
}

/**
 * Reads the search from a query.
 * @throws ApiError 400 for the first wrong parameter
 */
export function readPaymentSearch({
  storeId,
  status,
  since,
  until,
  q,
}: Record<string, unknown>): PaymentSearch {
  return {
    ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(since === undefined ? {} : { since: readDateTime('since', since) }),
    ...(until === undefined ? {} : { until: readDateTime('until', until) }),
    ...(q === undefined ? {} : { q: readSearchText('q', q) }),
  };
}
