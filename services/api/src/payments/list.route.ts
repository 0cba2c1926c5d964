import { listPayments } from '@payments/database/payments/list';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../context.ts';
import { answerOf, errorAnswersOf } from '../docs/answers.ts';
import { ofRange } from '../time-range.ts';
import { listExamples } from './examples.ts';
import { readListQuery } from './list-query.ts';
import { longestReference } from './reference.ts';
import { ofReference, ofStoreRequest, requestIdHeader } from './store-request.ts';

const momentQuery = (description: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      description: `${description} A date-time with its offset, or a whole day of São Paulo (\`2026-11-23\`).`,
      examples: ['2026-11-23T12:00:00.000Z'],
    }),
  );

const schema = {
  operationId: 'listPayments',
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
    status: Type.Optional(Type.Ref('PaymentStatus')),
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
    from: momentQuery('Only payments created then or later.'),
    to: momentQuery('Only payments created then or earlier.'),
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
export function listRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Querystring: Record<string, unknown> }>('/payments', { schema }, async (request) => {
    const { page, limit, ...filter } = readListQuery(request.query);
    const { items, total } = await listPayments(
      context.db,
      { storeId: request.store.id, ...filter },
      { page, limit },
    );
    return { items: items.map((payment) => paymentReadView(payment, context.publicUrl)), page, limit, total };
  });
}
