import { listChanges } from '@payments/database/operations/changes';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { adminAnswersOf, notFound, ofPage } from '../conditions.ts';
import { type IdParams, pageQuery, storeParams } from '../parameters.ts';
import { changeView } from './change-view.ts';

const schema = {
  operationId: 'listChangesOfStore',
  summary: 'List administrators’ changes of a store, newest first',
  description:
    'Changes of the store, its tokens and its webhook secret. The changes of a payment are part of the payment.',
  tags: ['Changes'],
  params: storeParams,
  querystring: Type.Object(pageQuery),
  response: {
    200: answerOf('A page of the store’s changes.', Type.Ref('ChangeList')),
    ...adminAnswersOf(...ofPage, notFound.store),
  },
};

/** `GET /admin/stores/{id}/changes`. */
export function ofStoreRoute(app: FastifyInstance, { db }: ApiContext): void {
  type Query = { Params: IdParams; Querystring: Record<string, unknown> };
  app.get<Query>(
    '/stores/:id/changes',
    { schema, config: { may: 'readStoreRecord' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const { id: storeId } = await storeOr404({ db }, request.actor, request.params.id);
      const { items, total } = await listChanges(db, { storeId }, page);
      return { items: items.map(changeView), ...page, total };
    },
  );
}
