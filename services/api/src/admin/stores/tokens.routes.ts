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
import { idOr, idParams } from '../parameters.ts';
import { issueToken } from './issue-token.ts';

const tags = ['Tokens'];
const security = [{ bearer: [] }];

const NewTokenBody = Type.Union([
  Type.Object({
    expiresAt: Type.Optional(Type.Union([Type.String({ description: 'ISO 8601 date-time.' }), Type.Null()])),
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
    body: NewTokenBody,
    response: { 201: NewToken, ...errorAnswersOf(400, 401, 404, 500, 503) },
  };
  // A body is optional here, which a schema of an object can't say.
  const preValidation = async (request: { body: unknown }) => {
    request.body ??= {};
  };
  routes.post('/stores/:id/tokens', { schema: create, preValidation }, async (request, reply) => {
    const given = request.body?.expiresAt ?? null;
    const expiresAt = given === null ? null : readDateTime('expiresAt', given);
    const storeId = idOr(errors.storeNotFound, request.params.id);
    const issued = await issueToken({ db, now }, storeId, expiresAt);
    if (!issued) throw errors.storeNotFound();
    const { id, token, createdAt } = issued;
    const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
    return reply.code(201).send({ id, token, ...times });
  });

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
    response: { 204: Type.Null(), ...errorAnswersOf(401, 404, 500, 503) },
  };
  routes.delete('/stores/:id/tokens/:tokenId', { schema: deactivate }, async (request, reply) => {
    const { id: storeId, tokenId: id } = request.params;
    const found = isId(storeId) && isId(id) && (await deactivateToken(db, { id, storeId, now: now() }));
    if (!found) throw errors.tokenNotFound();
    return reply.code(204).send(null);
  });
}
