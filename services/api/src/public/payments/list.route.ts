import { type ListQuery, listPayments } from '@payments/database/payments/list';
import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../http/answers.ts';
import { readId, readOneOf, readPage } from '../../http/field-values.ts';
import { ofRange, rangeQuery, readRange } from '../../http/time-range.ts';
import { listExamples } from './examples.ts';
import { longestReference, readReference } from './new-payment.ts';
import { statusQuery } from './schemas.ts';
import { ofReference, ofStoreRequest, requestIdHeader } from './store-request.ts';

const schema = {
  operationId: 'listPayments',
  'x-limited': true,
  summary: 'List payments of the store',
  description:
    'Lists the payments of the store in pages, newest first. `total` counts all matching payments.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object({
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Payments per page.' }),
    ),
    status: statusQuery,
    after: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Id of a payment. The list then begins with the payment after it, even if payments are created ' +
          'meanwhile. The list is empty for an unknown payment or another store’s.',
      }),
    ),
    reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longestReference,
        description: 'The whole reference of a payment. The list has this payment, or none.',
      }),
    ),
    ...rangeQuery('payments created'),
  }),
  headers: Type.Object(requestIdHeader),
  response: {
    200: answerOf('A page of payments.', Type.Ref('PaymentList'), listExamples),
    ...errorAnswersOf(
      ...ofStoreRequest,
      'pageNotAnInteger',
      'pageTooLow',
      'limitNotAnInteger',
      'limitTooLow',
      'limitTooHigh',
      'statusUnknown',
      'afterNotAnId',
      ...ofReference,
      ofRange,
    ),
  },
};

/** `GET /api-public/payments`. */
export function listRoute(app: FastifyInstance, { db, publicUrl }: PublicContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/payments', { schema }, async ({ store, query }) => {
    const page = readPage(query);
    const filter = { storeId: store.id, ...readFilter(query) };
    const { items, total } = await listPayments(db, filter, page);
    return { items: items.map((payment) => paymentReadView(payment, publicUrl)), ...page, total };
  });
}

/** @throws ApiError 400 for the first wrong parameter, in the order status, after, reference, from, to */
function readFilter({ status, after, reference, ...range }: Record<string, unknown>): ListQuery {
  return {
    ...(status === undefined ? {} : { status: readOneOf('status', status, paymentStatuses) }),
    ...(after === undefined ? {} : { after: readId('after', after) }),
    ...(reference === undefined ? {} : { reference: readReference(reference) }),
    ...readRange(range),
  };
}
