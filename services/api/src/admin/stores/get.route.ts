import { findStore } from '@payments/database/stores/stores';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
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
export function getRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get<{ Params: IdParams }>('/stores/:id', { schema, config: { may: 'readStores' } }, async (request) => {
    const store = await findStore(db, ownStore(request.actor, request.params.id));
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });
}
