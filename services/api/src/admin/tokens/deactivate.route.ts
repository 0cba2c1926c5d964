import { deactivateToken } from '@payments/database/stores/tokens';
import { isId } from '@payments/domain/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, notFound, ofReason } from '../conditions.ts';

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the store.' }),
  tokenId: Type.String({ description: 'Identifier of the token.' }),
});
const querystring = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 2_000, description: 'Reason, recorded with the change.' })),
});

const schema = {
  operationId: 'deactivateToken',
  summary: 'Deactivate a token',
  tags: ['Tokens'],
  description: 'The token stops working at once. Deactivating it again changes nothing.',
  params,
  querystring,
  response: {
    204: Type.Null({ description: 'The token is deactivated.' }),
    ...adminAnswersOf(ofReason, notFound.token),
  },
};

/** `DELETE /admin/stores/{id}/tokens/{tokenId}`. */
export function deactivateRoute(app: FastifyInstance, { db, now }: ApiContext): void {
  type Deactivate = { Params: Static<typeof params>; Querystring: Static<typeof querystring> };
  app.delete<Deactivate>(
    '/stores/:id/tokens/:tokenId',
    { schema, config: { may: 'manageTokens' } },
    async (request, reply) => {
      const { actor, params, query } = request;
      const by = authorOf(request, query);
      const token = { id: params.tokenId, storeId: ownStore(actor, params.id), now: now() };
      if (!isId(token.id) || !(await deactivateToken(db, token, by))) throw errors.tokenNotFound();
      return reply.code(204).send(null);
    },
  );
}
