import { listReviews, type WaitingReview } from '@payments/database/payments/reviews';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { readStoreFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readPage } from '../../http/field-values.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, ofPage, ofStoreId } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';

const schema = {
  operationId: 'listReviews',
  summary: 'List payments in review, longest waiting first',
  description:
    'The service refunds a payment that is still in review at its `deadline`. Decide with `POST /admin/payments/{id}/status`.',
  tags: ['Payments'],
  querystring: Type.Object({
    storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
    ...pageQuery,
  }),
  response: {
    200: answerOf('A page of payments in review.', Type.Ref('ReviewList')),
    ...adminAnswersOf(...ofPage, ofStoreId),
  },
};

/** `GET /admin/reviews`. */
export function reviewRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/reviews',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const filter = readStoreFilter(request.actor, request.query);
      const { items, total } = await listReviews(context.db, filter, page);
      return { items: items.map((review) => reviewView(review, context)), ...page, total };
    },
  );
}

/** @returns a payment in review with its deadline (Contract: review); amounts in reais */
function reviewView(review: WaitingReview, { now, publicUrl, reviewTimeoutSeconds }: AdministrationContext) {
  const { bank, reviewSince, reason, paid, returned, refundState } = review;
  const deadline = new Date(reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  const msLeft = deadline.getTime() - now().getTime();
  return {
    ...paymentReadView(review, publicUrl),
    bank,
    reviewSince: reviewSince.toISOString(),
    deadline: deadline.toISOString(),
    secondsLeft: Math.max(0, Math.floor(msLeft / 1_000)),
    reason,
    received: reaisFrom(paid),
    approvable: reaisFrom(Math.max(0, paid - returned)),
    refundState,
  };
}
