import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { notFound, ofAdministrator, ofChange, ofDeliveryUnderWay, ofKey } from '../conditions.ts';
import { deliveryParams, type IdParams, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { sendAgain } from './send-again.ts';

const schema = {
  operationId: 'redeliver',
  summary: 'Send a delivery again',
  description: 'Works in every state. The `webhook-id` stays the same, and the retry schedule starts again.',
  tags: ['Deliveries'],
  security: [{ bearer: [] }],
  params: deliveryParams,
  headers: authorHeaders,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The delivery is due now.', Type.Ref('Delivery')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.delivery, ofDeliveryUnderWay),
  },
};

/** `POST /admin/deliveries/{id}/redeliver`. */
export function redeliverRoute(app: FastifyInstance, context: ApiContext): void {
  type Redeliver = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = { schema, preValidation: optionalBody };
  app.post<Redeliver>('/deliveries/:id/redeliver', options, async (request, reply) => {
    const id = idOr(errors.deliveryNotFound, request.params.id);
    return reply.code(202).send(await sendAgain(context, id, authorOf(request, request.body)));
  });
}
