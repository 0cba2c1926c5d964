import {
  type Delivery,
  findDelivery,
  listDeliveries,
  readDeliveriesAfter,
} from '@payments/database/deliveries/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { ownDelivery } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { csvQuery } from '../../http/csv.ts';
import { csvAnswerOf } from '../../http/csv-answer.ts';
import { errors } from '../../http/errors/errors.ts';
import { readPage } from '../../http/field-values.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { ofRange } from '../../http/time-range.ts';
import {
  adminAnswersOf,
  notFound,
  ofCsvForm,
  ofDeliveryState,
  ofLongRead,
  ofPage,
  ofPaymentId,
  ofStoreId,
} from '../conditions.ts';
import { deliveryParams, type IdParams, pageQuery } from '../parameters.ts';
import { withAttempts } from '../payments/picture.ts';
import { recordExport } from '../record/record-reading.ts';
import { deliveryCsv } from './delivery-csv.ts';
import { deliveryQuery, readDeliveryFilter } from './filter.ts';

const limit = 1_000;

const tags = ['Deliveries'];

const list = {
  operationId: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description: 'Webhooks of all states. A delivery must match every filter.',
  tags,
  querystring: Type.Object({ ...deliveryQuery, ...pageQuery }),
  response: {
    200: answerOf('A page of the ledger.', Type.Ref('DeliveryList')),
    ...adminAnswersOf(...ofPage, ofStoreId, ofPaymentId, ofDeliveryState, ofRange),
  },
};

const asCsv = {
  operationId: 'exportDeliveries',
  summary: 'Export deliveries as CSV, newest first',
  description: 'The deliveries that the list with the same filters has, all of them, streamed.',
  tags,
  querystring: Type.Object({ ...deliveryQuery, ...csvQuery }),
  response: {
    200: csvAnswerOf('The deliveries found.', Object.keys(deliveryCsv)),
    ...adminAnswersOf(ofStoreId, ofPaymentId, ofDeliveryState, ofRange, ofCsvForm, ofLongRead),
  },
};

const get = {
  operationId: 'getDelivery',
  summary: 'Get a delivery with its attempts',
  description: 'Each attempt has its time and the receiver’s response.',
  tags,
  params: deliveryParams,
  response: {
    200: answerOf('The delivery.', Type.Ref('DeliveryDetail')),
    ...adminAnswersOf(notFound.delivery),
  },
};

/** Webhook deliveries, at `/admin/deliveries`. */
export function deliveryRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  const config = { may: 'readPayments' as const };

  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/deliveries', { schema: list, config, ...skipValidation }, async ({ actor, query }) => {
    const page = readPage(query);
    return { ...(await listDeliveries(db, readDeliveryFilter(actor, query), page)), ...page };
  });

  const exporting = { schema: asCsv, config: { may: 'exportRows' as const }, ...skipValidation };
  app.get<Query>('/deliveries.csv', exporting, async (request, reply) => {
    const { actor, query } = request;
    const filter = readDeliveryFilter(actor, query);
    const read = context.longReads.ofExport<Delivery>(reply, (trx, after) =>
      readDeliveriesAfter(trx, filter, { after, limit }),
    );
    await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'deliveries' });
    return sendCsv(reply, { name: 'deliveries', columns: deliveryCsv }, read);
  });

  app.get<{ Params: IdParams }>('/deliveries/:id', { schema: get, config }, async ({ actor, params }) => {
    const delivery = await findDelivery(db, await ownDelivery(db, actor, params.id));
    if (!delivery) throw errors.deliveryNotFound();
    const [detail] = await withAttempts(db, [delivery]);
    return detail;
  });
}
