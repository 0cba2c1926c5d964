import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownDelivery } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofDeliveryUnderWay } from '../conditions.ts';
import { deliveryParams, type IdParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { sendAgain } from './send-again.ts';

const schema = {
  operationId: 'redeliver',
  summary: 'Send a delivery again',
  description: 'Works in every state. The `webhook-id` stays the same, and the retry schedule starts again.',
  tags: ['Deliveries'],
  params: deliveryParams,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The delivery is due now.', Type.Ref('Delivery')),
    ...adminAnswersOf(ofChange, notFound.delivery, ofDeliveryUnderWay),
  },
};

/** `POST /admin/deliveries/{id}/redeliver`. */
export function redeliverRoute(app: FastifyInstance, context: ApiContext): void {
  type Redeliver = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = { schema, config: { may: 'redeliver' as const }, preValidation: optionalBody };
  app.post<Redeliver>('/deliveries/:id/redeliver', options, async (request, reply) => {
    const id = await ownDelivery(context.db, request.actor, request.params.id);
    return reply.code(202).send(await sendAgain(context, id, authorOf(request, request.body)));
  });
}
