import { releaseEndpoint } from '@payments/database/deliveries/endpoints';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { endpointParams, type IdParams, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';

const schema = {
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

/** `POST /admin/endpoints/{id}/release`. */
export function releaseRoute(app: FastifyInstance, { db, now }: ApiContext): void {
  type Release = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = { schema, config: { may: 'releaseEndpoint' as const }, preValidation: optionalBody };
  app.post<Release>('/endpoints/:id/release', options, async (request, reply) => {
    const by = authorOf(request, request.body);
    const id = idOr(errors.endpointNotFound, request.params.id);
    const released = await releaseEndpoint(db, id, { by, now: now() });
    if (!released) throw errors.endpointNotFound();
    return reply.code(204).send();
  });
}
