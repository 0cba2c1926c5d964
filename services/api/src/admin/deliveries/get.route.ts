import { findDelivery } from '@payments/database/deliveries/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownDelivery } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { deliveryParams, type IdParams } from '../parameters.ts';
import { deliveryDetail } from '../payments/picture.ts';

const schema = {
  operationId: 'getDelivery',
  summary: 'Get a delivery with its attempts',
  description: 'Each attempt has its time and the receiver’s response.',
  tags: ['Deliveries'],
  params: deliveryParams,
  response: {
    200: answerOf('The delivery.', Type.Ref('DeliveryDetail')),
    ...adminAnswersOf(notFound.delivery),
  },
};

/** `GET /admin/deliveries/{id}`. */
export function getRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get<{ Params: IdParams }>(
    '/deliveries/:id',
    { schema, config: { may: 'readPayments' } },
    async (request) => {
      const delivery = await findDelivery(db, await ownDelivery(db, request.actor, request.params.id));
      if (!delivery) throw errors.deliveryNotFound();
      return deliveryDetail(db, delivery);
    },
  );
}
