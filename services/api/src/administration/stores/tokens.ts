import { deactivateToken, listTokens } from '@payments/database/stores/tokens';
import { isId } from '@payments/domain/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody } from '../../access/author.ts';
import { ownStore, storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { readDateTime } from '../../http/field-values.ts';
import { adminAnswersOf, notFound, ofChange, ofExpiry, ofReason } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { issueToken } from './issue-token.ts';
import { NewTokenBody } from './token-schemas.ts';

const tags = ['Tokens'];
const common = { tags, params: storeParams };

const create = {
  ...common,
  operationId: 'createToken',
  summary: 'Generate a token',
  description: 'The previous token stops working at once. Only this response shows the new one.',
  body: refTo(NewTokenBody),
  'x-optional-body': true,
  response: {
    201: answerOf('The token.', Type.Ref('NewToken')),
    ...adminAnswersOf(ofChange, ofExpiry, notFound.store),
  },
};

const list = {
  ...common,
  operationId: 'listTokens',
  summary: 'List tokens, newest first, without their secrets',
  description: 'The token in force and all earlier ones.',
  response: {
    200: answerOf('The tokens.', Type.Ref('TokenList')),
    ...adminAnswersOf(notFound.store),
  },
};

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the store.' }),
  tokenId: Type.String({ description: 'Identifier of the token.' }),
});
const querystring = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 2_000, description: 'Reason, recorded with the change.' })),
});

const deactivate = {
  tags,
  operationId: 'deactivateToken',
  summary: 'Deactivate a token',
  description: 'The token stops working at once. Deactivating it again changes nothing.',
  params,
  querystring,
  response: {
    204: Type.Null({ description: 'The token is deactivated.' }),
    ...adminAnswersOf(ofReason, notFound.token),
  },
};

/** A store's tokens, at `/admin/stores/{id}/tokens`. */
export function tokenRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db, now } = context;
  const config = { may: 'manageTokens' as const };
  const path = '/stores/:id/tokens';

  type Create = { Params: IdParams; Body: Static<typeof NewTokenBody> };
  const creating = { schema: create, config, preValidation: optionalBody };
  app.post<Create>(path, creating, async (request, reply) => {
    const given = request.body.expiresAt ?? null;
    const expiresAt = given === null ? null : readDateTime('expiresAt', given);
    const storeId = ownStore(request.actor, request.params.id);
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueToken(context, storeId, expiresAt, by));
  });

  app.get<{ Params: IdParams }>(path, { schema: list, config }, async (request) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return { items: await listTokens(db, id) };
  });

  type Deactivate = { Params: Static<typeof params>; Querystring: Static<typeof querystring> };
  app.delete<Deactivate>(`${path}/:tokenId`, { schema: deactivate, config }, async (request, reply) => {
    const { actor, params, query } = request;
    const by = authorOf(request, query);
    const token = { id: params.tokenId, storeId: ownStore(actor, params.id), now: now() };
    if (!isId(token.id) || !(await deactivateToken(db, token, by))) throw errors.tokenNotFound();
    return reply.code(204).send(null);
  });
}
