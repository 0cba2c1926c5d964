import { listFailingEndpoints } from '@payments/database/deliveries/endpoints';
import { findDelivery } from '@payments/database/deliveries/list';
import { Type } from '@sinclair/typebox';
import { authorOf, optionalBody, ownDelivery, ownFilter, ReasonBody } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { csvAnswerOf, csvQuery } from '../../http/csv.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { ofPage, ofRange, pageQuery, readDateTime, readId, readPage } from '../../http/readers.ts';
import {
  adminAnswersOf,
  notFound,
  ofExport,
  ofKind,
  ofManyChanges,
  ofStoreFilter,
  ofStoreId,
} from '../conditions.ts';
import { sendExport } from '../record/export.ts';
import { deliveryParams, endpointParams, kindQuery, refTo } from '../shapes.ts';
import {
  deliveryExport,
  deliveryStates,
  findDeliveries,
  readDeliveryFilter,
  release,
  sendAgain,
  sendManyAgain,
  withAttempts,
} from './actions.ts';
import { deliveryDetail, deliveryQuery, inWords, RedriveBody } from './schemas.ts';

const tags = ['Deliveries'];
const failingAtMost = 1_000;

const ofPaymentId: Conditions = {
  paymentIdInvalid: field('paymentId', rules.uuid, '`paymentId` is no UUID.'),
};
const ofDeliveryState: Conditions = {
  stateUnknown: field('state', rules.oneOf([...deliveryStates]), '`state` is not a state of a delivery.'),
};
const ofSince: Conditions = {
  sinceInvalid: field('since', rules.dateTime, '`since` is no date-time with an offset.'),
};

const list = {
  operationId: 'listDeliveries',
  summary: 'List deliveries, newest first',
  description: 'Webhooks of all states. A delivery must match every filter.',
  tags,
  querystring: Type.Object({ ...deliveryQuery, ...pageQuery('Entries') }),
  response: {
    200: answerOf('A page of the ledger.', Type.Ref('DeliveryList')),
    ...adminAnswersOf(ofPage, ofStoreFilter, ofPaymentId, ofDeliveryState, ofRange),
  },
};

const asCsv = {
  operationId: 'exportDeliveries',
  summary: 'Export deliveries as CSV, newest first',
  description: 'The deliveries that the list with the same filters has, all of them, streamed.',
  tags,
  querystring: Type.Object({ ...deliveryQuery, ...csvQuery }),
  response: {
    200: csvAnswerOf('The deliveries found.', Object.keys(deliveryExport.columns)),
    ...adminAnswersOf(ofStoreFilter, ofPaymentId, ofDeliveryState, ofRange, ofExport),
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

const again = {
  operationId: 'redeliver',
  summary: 'Send a delivery again',
  description:
    'Works in every state, but not during an attempt, nor while the delivery waits for the first attempt of the ' +
    'payment’s event before it (`pending` without `nextAttemptAt`). The `webhook-id` stays the same, and the retry ' +
    'schedule starts again.',
  tags,
  params: deliveryParams,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The delivery is due now.', Type.Ref('Delivery')),
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.delivery, 'deliveryUnderWay', 'deliveryWaits'),
  },
};

const manyAgain = {
  operationId: 'redeliverMany',
  summary: 'Send many deliveries again',
  description:
    'Reschedules at most 10,000 deliveries, oldest first, at 50 per second. Pending ones that have had no attempt since ' +
    'they were last rescheduled, or none at all, stay as they are.',
  tags,
  body: refTo(RedriveBody),
  'x-optional-body': true,
  response: {
    202: answerOf('Number of rescheduled deliveries.', Type.Ref('Redelivered')),
    ...adminAnswersOf(conditionsOf(RedriveBody), ofStoreId, ofSince, ofManyChanges),
  },
};

const failing = {
  operationId: 'listFailingEndpoints',
  summary: 'List failing receivers, longest failing first',
  description: 'Ten failures in a row open a receiver’s circuit: only one delivery at a time probes it.',
  tags,
  querystring: Type.Object(kindQuery),
  response: {
    200: answerOf('The failing receivers.', Type.Ref('EndpointList')),
    ...adminAnswersOf(ofKind),
  },
};

const releasing = {
  operationId: 'releaseEndpoint',
  summary: 'Resume deliveries to a receiver',
  tags,
  params: endpointParams,
  description: 'Forgets the receiver’s failures and closes its circuit. Its due deliveries are sent at once.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    204: Type.Null({ description: 'Deliveries to the receiver continue.' }),
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.endpoint),
  },
};

/** Webhook deliveries in the administration's API: list, export, read, send again; failing receivers, and their release. */
export const deliveriesApi: AdministrationPlugin = async (app, { context }) => {
  const { db } = context;
  const reading = { config: { may: 'readPayments' as const } };

  app.get('/deliveries', { schema: list, ...reading, ...skipValidation }, async (request) => {
    const { actor, query } = request;
    const page = readPage(query);
    const filter = readDeliveryFilter(actor, query);
    const given = { actor, query, by: authorOf(request) };
    const { items, total } = await findDeliveries(context, given, filter, page);
    return { items: items.map(inWords), total, ...page };
  });

  const exporting = { schema: asCsv, config: { may: 'exportRows' as const }, ...skipValidation };
  app.get('/deliveries.csv', exporting, async (request, reply) => {
    const { actor, query } = request;
    const filter = readDeliveryFilter(actor, query);
    return sendExport(context, reply, deliveryExport, { name: 'deliveries', query, filter });
  });

  app.get('/deliveries/:id', { schema: get, ...reading }, async ({ actor, params }) => {
    const delivery = await findDelivery(db, await ownDelivery(db, actor, params.id));
    if (!delivery) throw errors.deliveryNotFound();
    const [detail] = await withAttempts(db, [delivery]);
    return detail && deliveryDetail(detail);
  });

  const sending = { config: { may: 'redeliver' as const }, preValidation: optionalBody };
  app.post('/deliveries/:id/redeliver', { schema: again, ...sending }, async (request, reply) => {
    const { actor, body, params } = request;
    const id = await ownDelivery(db, actor, params.id);
    return reply.code(202).send(inWords(await sendAgain(context, id, authorOf(request, body))));
  });

  app.post('/deliveries/redeliver', { schema: manyAgain, ...sending }, async (request, reply) => {
    const { actor, body } = request;
    const by = authorOf(request, body);
    const redrive = {
      actor,
      state: body.state ?? 'dead',
      storeId: typeof body.storeId === 'string' ? readId('storeId', body.storeId) : undefined,
      since: typeof body.since === 'string' ? readDateTime('since', body.since) : undefined,
    };
    return reply.code(202).send({ redelivered: await sendManyAgain(context, redrive, by) });
  });

  const readingFailing = { schema: failing, config: { may: 'readEndpoints' as const }, ...skipValidation };
  app.get('/endpoints', readingFailing, async ({ actor, query }) => ({
    items: (await listFailingEndpoints(db, failingAtMost, ownFilter(actor, query))).map(inWords),
  }));

  const released = {
    schema: releasing,
    config: { may: 'releaseEndpoint' as const },
    preValidation: optionalBody,
  };
  app.post('/endpoints/:id/release', released, async (request, reply) => {
    await release(context, request.params.id, authorOf(request, request.body));
    return reply.code(204).send(null);
  });
};
