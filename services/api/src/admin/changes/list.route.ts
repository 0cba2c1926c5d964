import { listChanges } from '@payments/database/operations/changes';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { adminAnswersOf, ofPage } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { changeView } from './change-view.ts';

const schema = {
  operationId: 'listChanges',
  summary: 'List administrators’ changes, newest first',
  description:
    'Changes of stores, tokens, payments, refunds and deliveries, each with author, time, reason, and old and new values.',
  tags: ['Changes'],
  querystring: Type.Object(pageQuery),
  response: {
    200: answerOf('A page of changes.', Type.Ref('ChangeList')),
    ...adminAnswersOf(...ofPage),
  },
};

/** `GET /admin/changes`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/changes',
    { schema, config: { may: 'readRecord' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const { items, total } = await listChanges(db, {}, page);
      return { items: items.map(changeView), ...page, total };
    },
  );
}
