import { listFailingEndpoints, releaseEndpoint } from '@payments/database/deliveries/endpoints';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import { storeFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { endpointParams, type IdParams, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';

const shownAtMost = 1_000;

const list = {
  operationId: 'listFailingEndpoints',
  summary: 'List failing receivers, longest failing first',
  description: 'Ten failures in a row open a receiver’s circuit: only one delivery at a time probes it.',
  tags: ['Deliveries'],
  response: {
    200: answerOf('The failing receivers.', Type.Ref('EndpointList')),
    ...adminAnswersOf(),
  },
};

const release = {
  operationId: 'releaseEndpoint',
  summary: 'Resume deliveries to a receiver',
  tags: ['Deliveries'],
  params: endpointParams,
  description: 'Forgets the receiver’s failures and closes its circuit. Its due deliveries are sent at once.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    204: Type.Null({ description: 'Deliveries to the receiver continue.' }),
    ...adminAnswersOf(ofChange, notFound.endpoint),
  },
};

/** Failing receivers, and the release of one, at `/admin/endpoints`. */
export function endpointRoutes(app: FastifyInstance, { db, now }: AdministrationContext): void {
  app.get('/endpoints', { schema: list, config: { may: 'readEndpoints' } }, async ({ actor }) => ({
    items: await listFailingEndpoints(db, shownAtMost, storeFilter(actor)),
  }));

  type Release = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const releasing = {
    schema: release,
    config: { may: 'releaseEndpoint' as const },
    preValidation: optionalBody,
  };
  app.post<Release>('/endpoints/:id/release', releasing, async (request, reply) => {
    const by = authorOf(request, request.body);
    const id = idOr(errors.endpointNotFound, request.params.id);
    if (!(await releaseEndpoint(db, id, { by, now: now() }))) throw errors.endpointNotFound();
    return reply.code(204).send();
  });
}
