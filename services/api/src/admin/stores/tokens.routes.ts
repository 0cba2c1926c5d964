import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findStore } from '@payments/database/stores';
import { deactivateToken, listTokens } from '@payments/database/tokens';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { readDateTime } from '../../field-values.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf, optionalBody, reasonField } from '../author.ts';
import { idOr, idParams } from '../parameters.ts';
import { issueToken } from './issue-token.ts';

const tags = ['Tokens'];
const security = [{ bearer: [] }];

const NewTokenBody = Type.Union([
  Type.Object({
    expiresAt: Type.Optional(Type.Union([Type.String({ description: 'ISO 8601 date-time.' }), Type.Null()])),
    reason: reasonField,
  }),
  Type.Null(),
]);

const NewToken = Type.Object({
  id: Type.String(),
  token: Type.String({ description: 'Shown this once; only its hash is stored.' }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

/** A store's tokens (spec 5). */
export function tokenRoutes(app: FastifyInstance, { db, now }: ApiContext): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const create = {
    operationId: 'createToken',
    summary: 'Generate a token; the one before stops working at once',
    tags,
    security,
    params: idParams,
    headers: authorHeaders,
    body: NewTokenBody,
    response: { 201: NewToken, ...errorAnswersOf(400, 401, 404, 500, 503) },
  };
  routes.post(
    '/stores/:id/tokens',
    { schema: create, preValidation: optionalBody },
    async (request, reply) => {
      const given = request.body?.expiresAt ?? null;
      const expiresAt = given === null ? null : readDateTime('expiresAt', given);
      const storeId = idOr(errors.storeNotFound, request.params.id);
      const by = authorOf(request, request.body ?? {});
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
    params: idParams,
    response: {
      200: Type.Object({ items: Type.Array(Type.Ref('Token')) }),
      ...errorAnswersOf(401, 404, 500, 503),
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
    params: Type.Object({ id: Type.String(), tokenId: Type.String() }),
    headers: authorHeaders,
    querystring: Type.Object({ reason: Type.Optional(Type.String({ maxLength: 2_000 })) }),
    response: { 204: Type.Null(), ...errorAnswersOf(401, 404, 500, 503) },
  };
  routes.delete('/stores/:id/tokens/:tokenId', { schema: deactivate }, async (request, reply) => {
    const { id: storeId, tokenId: id } = request.params;
    if (!isId(storeId) || !isId(id)) throw errors.tokenNotFound();
    const by = authorOf(request, request.query);
    if (!(await deactivateToken(db, { id, storeId, now: now() }, by))) throw errors.tokenNotFound();
    return reply.code(204).send(null);
  });
}
