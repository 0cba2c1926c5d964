import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, ofChange, ofStoreBanks, ofStoreName, ofStoreTerms } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { createStore } from './create-store.ts';
import { NewStoreBody, storeView } from './store-fields.ts';

const schema = {
  operationId: 'createStore',
  summary: 'Create a store',
  description: 'The store is active and has its own webhook secret, but no token yet.',
  tags: ['Stores'],
  body: refTo(NewStoreBody),
  response: {
    201: answerOf('The store.', Type.Ref('Store')),
    ...adminAnswersOf(ofChange, ofStoreName, ofStoreTerms, ofStoreBanks),
  },
};

/** `POST /admin/stores`. */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  app.post<{ Body: Static<typeof NewStoreBody> }>(
    '/stores',
    { schema, config: { may: 'changeStores' } },
    async (request, reply) => {
      const store = await createStore(context, request.body, authorOf(request, request.body));
      return reply.code(201).send(storeView(store));
    },
  );
}
