import { listTokens } from '@payments/database/stores/tokens';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { storeOr404 } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
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
      const { id } = await storeOr404({ db }, request.actor, request.params.id);
      return { items: await listTokens(db, id) };
    },
  );
}
