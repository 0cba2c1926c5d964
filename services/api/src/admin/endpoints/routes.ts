import { listFailingEndpoints, releaseEndpoint } from '@payments/database/failing-endpoints';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { type IdParams, idOr, idParams } from '../parameters.ts';

const tags = ['Deliveries'];
const security = [{ bearer: [] }];
const shownAtMost = 1_000;

/** Receivers that fail now: their deliveries wait while one at a time probes whether they work again. */
export async function endpointRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const { db } = context;

  const list = {
    operationId: 'listFailingEndpoints',
    summary: 'Receivers that fail now, longest first',
    tags,
    security,
  };
  const items = Type.Array(Type.Ref('FailingEndpoint'));
  const listed = { 200: Type.Object({ items }), ...errorAnswersOf(401, 500, 503) };
  app.get('/endpoints', { schema: { ...list, response: listed } }, async () => ({
    items: await listFailingEndpoints(db, shownAtMost),
  }));

  const summary = 'Let deliveries to a receiver go on at once';
  const release = {
    ...{ operationId: 'releaseEndpoint', summary, tags, security, params: idParams },
    headers: authorHeaders,
    body: ReasonBody,
  };
  const response = { 204: Type.Null(), ...errorAnswersOf(401, 404, 500, 503) };
  const path = '/endpoints/:id/release';
  const schema = { ...release, response };
  type Release = { Params: IdParams; Body: Static<typeof ReasonBody> };
  app.post<Release>(path, { schema, preValidation: optionalBody }, async (request, reply) => {
    const released = await releaseEndpoint(db, idOr(errors.endpointNotFound, request.params.id), {
      by: authorOf(request, request.body),
      now: context.now(),
    });
    if (!released) throw errors.endpointNotFound();
    return reply.code(204).send();
  });
}
