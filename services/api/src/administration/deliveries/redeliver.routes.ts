import { type RedriveFilter, redeliverMany } from '@payments/database/deliveries/redeliver';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import { ownDelivery, storeFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readDateTime, readId } from '../../http/field-values.ts';
import {
  adminAnswersOf,
  notFound,
  ofChange,
  ofDeliveryState,
  ofDeliveryUnderWay,
  ofSince,
  ofSinceType,
  ofStoreId,
} from '../conditions.ts';
import { deliveryParams, type IdParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { RedriveBody } from './schemas.ts';
import { sendAgain } from './send-again.ts';

const tags = ['Deliveries'];

const one = {
  operationId: 'redeliver',
  summary: 'Send a delivery again',
  description: 'Works in every state. The `webhook-id` stays the same, and the retry schedule starts again.',
  tags,
  params: deliveryParams,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The delivery is due now.', Type.Ref('Delivery')),
    ...adminAnswersOf(ofChange, notFound.delivery, ofDeliveryUnderWay),
  },
};

const many = {
  operationId: 'redeliverMany',
  summary: 'Send many deliveries again',
  description: 'Reschedules at most 10,000 deliveries, oldest first, at 50 per second.',
  tags,
  body: refTo(RedriveBody),
  'x-optional-body': true,
  response: {
    202: answerOf('Number of rescheduled deliveries.', Type.Ref('Redelivered')),
    ...adminAnswersOf(ofChange, ofStoreId, ofDeliveryState, ofSince, ofSinceType),
  },
};

/** The redelivery of one webhook, and of many. */
export function redeliverRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db, now } = context;
  const options = { config: { may: 'redeliver' as const }, preValidation: optionalBody };

  type One = { Params: IdParams; Body: Static<typeof ReasonBody> };
  app.post<One>('/deliveries/:id/redeliver', { schema: one, ...options }, async (request, reply) => {
    const id = await ownDelivery(db, request.actor, request.params.id);
    return reply.code(202).send(await sendAgain(context, id, authorOf(request, request.body)));
  });

  type Many = { Body: Static<typeof RedriveBody> };
  app.post<Many>('/deliveries/redeliver', { schema: many, ...options }, async (request, reply) => {
    const by = authorOf(request, request.body);
    const redelivered = await redeliverMany(db, readRedrive(request), { by, now: now() });
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
