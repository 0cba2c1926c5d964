import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { storeView } from './store-fields.ts';

const schema = {
  operationId: 'getStore',
  summary: 'Get a store',
  description: 'The store and the terms of its payments.',
  tags: ['Stores'],
  params: storeParams,
  response: {
    200: answerOf('The store.', Type.Ref('Store')),
    ...adminAnswersOf(notFound.store),
  },
};

/** `GET /admin/stores/{id}`. */
export function getRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: IdParams }>('/stores/:id', { schema, config: { may: 'readStores' } }, async (request) => {
    return storeView(await storeOr404(context, request.actor, request.params.id));
  });
}
