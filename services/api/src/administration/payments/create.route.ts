import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { readIdempotencyKey } from '../../public/payments/idempotency-key.ts';
import { ofCreation } from '../../public/payments/store-request.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { chargeForStore } from './charge-for-store.ts';

const schema = {
  operationId: 'createPaymentOfStore',
  summary: 'Create a payment for a store',
  description: 'Works as the public creation, with the store’s fees and maximum. `isPublic` is false.',
  tags: ['Payments'],
  params: storeParams,
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(
      Type.String({
        maxLength: 255,
        pattern: '\\S',
        description: 'Makes retries safe, as for the public creation.',
      }),
    ),
  }),
  body: Type.Ref('CreatePayment'),
  response: {
    200: answerOf('The payment was created.', Type.Ref('CreatedPayment')),
    ...adminAnswersOf('storeInactive', ...ofCreation, notFound.store),
  },
};

/** `POST /admin/stores/{id}/payments`. */
export function createRoute(app: FastifyInstance, context: AdministrationContext): void {
  app.post<{ Params: IdParams }>(
    '/stores/:id/payments',
    { schema, config: { may: 'createPayment' }, ...skipValidation },
    async (request) => {
      return chargeForStore(context, {
        storeId: request.params.id,
        within: request.actor,
        body: request.body,
        idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        by: authorOf(request),
        requestId: request.id,
        log: request.log,
      });
    },
  );
}
