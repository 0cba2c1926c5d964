import { listDeliveries } from '@payments/database/deliveries/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofRange } from '../../time-range.ts';
import { adminAnswersOf, ofDeliveryState, ofPage, ofPaymentId, ofStoreId } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { deliveryQuery, readDeliveryFilter } from './filter.ts';

const schema = {
  operationId: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description: 'Webhooks of all states. A delivery must match every filter.',
  tags: ['Deliveries'],
  querystring: Type.Object({ ...deliveryQuery, ...pageQuery }),
  response: {
    200: answerOf('A page of the ledger.', Type.Ref('DeliveryList')),
    ...adminAnswersOf(...ofPage, ofStoreId, ofPaymentId, ofDeliveryState, ofRange),
  },
};

/** `GET /admin/deliveries`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/deliveries',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const { page, limit } = readPage(request.query);
      const filter = readDeliveryFilter(request.actor, request.query);
      return { ...(await listDeliveries(db, filter, { page, limit })), page, limit };
    },
  );
}
