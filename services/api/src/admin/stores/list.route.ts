import { listStores } from '@payments/database/stores/stores';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf } from '../conditions.ts';
import { storeView } from './store-fields.ts';

const schema = {
  operationId: 'listStores',
  summary: 'List stores',
  description: 'All stores, oldest first.',
  tags: ['Stores'],
  response: {
    200: answerOf('The stores.', Type.Ref('StoreList')),
    ...adminAnswersOf(),
  },
};

/** `GET /admin/stores`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get('/stores', { schema, config: { may: 'readStores' } }, async ({ actor }) => ({
    items: (await listStores(db, actor.storeId)).map(storeView),
  }));
}
