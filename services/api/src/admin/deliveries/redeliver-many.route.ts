import { type RedriveFilter, redeliverMany } from '@payments/database/deliveries/redeliver';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../authentication/actor.ts';
import { storeFilter } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readDateTime, readId } from '../../field-values.ts';
import { authorOf, optionalBody } from '../author.ts';
import { adminAnswersOf, ofChange, ofDeliveryState, ofSince, ofSinceType, ofStoreId } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { RedriveBody } from './schemas.ts';

const schema = {
  operationId: 'redeliverMany',
  summary: 'Send many deliveries again',
  description: 'Reschedules at most 10,000 deliveries, oldest first, at 50 per second.',
  tags: ['Deliveries'],
  body: refTo(RedriveBody),
  'x-optional-body': true,
  response: {
    202: answerOf('Number of rescheduled deliveries.', Type.Ref('Redelivered')),
    ...adminAnswersOf(ofChange, ofStoreId, ofDeliveryState, ofSince, ofSinceType),
  },
};

/** `POST /admin/deliveries/redeliver`. */
export function redeliverManyRoute(app: FastifyInstance, { db, now }: ApiContext): void {
  type Redrive = { Body: Static<typeof RedriveBody> };
  const options = { schema, config: { may: 'redeliver' as const }, preValidation: optionalBody };
  app.post<Redrive>('/deliveries/redeliver', options, async (request, reply) => {
    const redrive = { by: authorOf(request, request.body), now: now() };
    const redelivered = await redeliverMany(db, readRedrive(request), redrive);
    return reply.code(202).send({ redelivered });
  });
}

function readRedrive({ actor, body }: { actor: Actor; body: Static<typeof RedriveBody> }): RedriveFilter {
  const { storeId, state, since } = body;
  return {
    state: state ?? 'dead',
    ...storeFilter(actor, typeof storeId === 'string' ? readId('storeId', storeId) : undefined),
    ...(typeof since === 'string' ? { since: readDateTime('since', since) } : {}),
  };
}
