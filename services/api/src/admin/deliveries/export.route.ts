import { type Delivery, readDeliveriesAfter } from '@payments/database/deliveries/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { type Columns, sendCsv } from '../../csv/send-csv.ts';
import { csvAnswerOf } from '../../docs/csv-answer.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofRange } from '../../time-range.ts';
import { authorOf } from '../author.ts';
import { recordExport } from '../changes/record-reading.ts';
import { adminAnswersOf, ofDeliveryState, ofPaymentId, ofStoreId } from '../conditions.ts';
import { deliveryQuery, readDeliveryFilter } from './filter.ts';

const limit = 1_000;

/** The columns of the deliveries’ CSV. */
export const deliveryCsv: Columns<Delivery> = {
  id: ({ id }) => id,
  event: ({ event }) => event,
  paymentId: ({ paymentId }) => paymentId,
  storeId: ({ storeId }) => storeId,
  url: ({ url }) => url,
  state: ({ state }) => state,
  attempts: ({ attempts }) => attempts,
  nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt,
  lastError: ({ lastError }) => lastError,
  createdAt: ({ createdAt }) => createdAt,
};

const schema = {
  operationId: 'exportDeliveries',
  summary: 'Export deliveries as CSV, newest first',
  description: 'The deliveries that the list with the same filters has, all of them, streamed.',
  tags: ['Deliveries'],
  querystring: Type.Object(deliveryQuery),
  response: {
    200: csvAnswerOf('The deliveries found.', Object.keys(deliveryCsv)),
    ...adminAnswersOf(ofStoreId, ofPaymentId, ofDeliveryState, ofRange),
  },
};

/** `GET /admin/deliveries.csv`. */
export function exportRoute(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/deliveries.csv',
    { schema, config: { may: 'exportRows' }, ...skipValidation },
    async (request, reply) => {
      const { actor, query } = request;
      const filter = readDeliveryFilter(actor, query);
      await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'deliveries' });
      const read = (after: Delivery | undefined) => readDeliveriesAfter(context.db, filter, { after, limit });
      return sendCsv(reply, { name: 'deliveries', columns: deliveryCsv }, read);
    },
  );
}
