import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findStore } from '@payments/database/stores';
import { deactivateToken, listTokens } from '@payments/database/tokens';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { readDateTime } from '../../field-values.ts';
import { authorHeaders, authorOf, optionalBody } from '../author.ts';
import { notFound, ofActor, ofAdministrator, ofChange, ofExpiry, ofKey, ofReason } from '../conditions.ts';
import { idOr, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { issueToken } from './issue-token.ts';
import { NewTokenBody } from './schemas.ts';

const tags = ['Tokens'];
const security = [{ bearer: [] }];

/** A store's tokens (spec 5). */
export function tokenRoutes(app: FastifyInstance, { db, now }: ApiContext): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const create = {
    operationId: 'createToken',
    summary: 'Generate a token; the one before stops working at once',
    tags,
    security,
    description: 'The answer is the only place where the token is ever shown.',
    params: storeParams,
    headers: authorHeaders,
    body: refTo(NewTokenBody),
    'x-optional-body': true,
    response: {
      201: answerOf('The token.', Type.Ref('NewToken')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, ofExpiry, notFound.store),
    },
  };
  routes.post(
    '/stores/:id/tokens',
    { schema: create, preValidation: optionalBody },
    async (request, reply) => {
      const given = request.body.expiresAt ?? null;
      const expiresAt = given === null ? null : readDateTime('expiresAt', given);
      const storeId = idOr(errors.storeNotFound, request.params.id);
      const by = authorOf(request, request.body);
      const issued = await issueToken({ db, now }, storeId, expiresAt, by);
      if (!issued) throw errors.storeNotFound();
      const { id, token, createdAt } = issued;
      const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
      return reply.code(201).send({ id, token, ...times });
    },
  );

  const list = {
    operationId: 'listTokens',
    summary: 'List tokens, newest first, without their secrets',
    tags,
    security,
    description: 'The one that works, and those before it.',
    params: storeParams,
    response: {
      200: answerOf('The tokens.', Type.Ref('TokenList')),
      ...errorAnswersOf(...ofAdministrator, ofKey, notFound.store),
    },
  };
  routes.get('/stores/:id/tokens', { schema: list }, async (request) => {
    const storeId = idOr(errors.storeNotFound, request.params.id);
    if (!(await findStore(db, storeId))) throw errors.storeNotFound();
    return { items: await listTokens(db, storeId) };
  });

  const deactivate = {
    operationId: 'deactivateToken',
    summary: 'Deactivate a token',
    tags,
    security,
    description: 'It stops working at once. Deactivating it again changes nothing.',
    params: Type.Object({
      id: Type.String({ description: 'Identifier of the store.' }),
      tokenId: Type.String({ description: 'Identifier of the token.' }),
    }),
    headers: authorHeaders,
    querystring: Type.Object({
      reason: Type.Optional(Type.String({ maxLength: 2_000, description: 'Why; recorded with the change.' })),
    }),
    response: {
      204: Type.Null({ description: 'It works no more.' }),
      ...errorAnswersOf(...ofAdministrator, ofKey, ofReason, ofActor, notFound.token),
    },
  };
  routes.delete('/stores/:id/tokens/:tokenId', { schema: deactivate }, async (request, reply) => {
    const { id: storeId, tokenId: id } = request.params;
    if (!isId(storeId) || !isId(id)) throw errors.tokenNotFound();
    const by = authorOf(request, request.query);
    if (!(await deactivateToken(db, { id, storeId, now: now() }, by))) throw errors.tokenNotFound();
    return reply.code(204).send(null);
  });
}
