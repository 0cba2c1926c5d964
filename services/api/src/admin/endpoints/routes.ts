import { listFailingEndpoints, releaseEndpoint } from '@payments/database/failing-endpoints';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { notFound, ofAdministrator, ofChange, ofKey } from '../conditions.ts';
import { endpointParams, type IdParams, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';

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
    description:
      'After ten failures in a row a receiver is left alone, and probed with one delivery now and then.',
    tags,
    security,
  };
  const listed = {
    200: answerOf('Those that fail.', Type.Ref('EndpointList')),
    ...errorAnswersOf(...ofAdministrator, ofKey),
  };
  app.get('/endpoints', { schema: { ...list, response: listed } }, async () => ({
    items: await listFailingEndpoints(db, shownAtMost),
  }));

  const summary = 'Let deliveries to a receiver go on at once';
  const release = {
    ...{ operationId: 'releaseEndpoint', summary, tags, security, params: endpointParams },
    description: 'As if it had never failed: what waits for it falls due at once.',
    headers: authorHeaders,
    body: refTo(ReasonBody),
    'x-optional-body': true,
  };
  const response = {
    204: Type.Null({ description: 'It is sent to again.' }),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.endpoint),
  };
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
