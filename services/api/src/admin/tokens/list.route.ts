import { findStore } from '@payments/database/stores/stores';
import { listTokens } from '@payments/database/stores/tokens';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';

const schema = {
  operationId: 'listTokens',
  summary: 'List tokens, newest first, without their secrets',
  tags: ['Tokens'],
  description: 'The token in force and all earlier ones.',
  params: storeParams,
  response: {
    200: answerOf('The tokens.', Type.Ref('TokenList')),
    ...adminAnswersOf(notFound.store),
  },
};

/** `GET /admin/stores/{id}/tokens`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get<{ Params: IdParams }>(
    '/stores/:id/tokens',
    { schema, config: { may: 'manageTokens' } },
    async (request) => {
      const storeId = ownStore(request.actor, request.params.id);
      if (!(await findStore(db, storeId))) throw errors.storeNotFound();
      return { items: await listTokens(db, storeId) };
    },
  );
}
