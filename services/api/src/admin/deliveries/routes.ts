import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  findDelivery,
  listDeliveries,
  type RedriveFilter,
  redeliverMany,
} from '@payments/database/deliveries';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { readDateTime, readId, readPage } from '../../field-values.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import {
  notFound,
  ofAdministrator,
  ofChange,
  ofDeliveryState,
  ofDeliveryUnderWay,
  ofKey,
  ofPage,
  ofPaymentId,
  ofSince,
  ofSinceType,
  ofStoreId,
} from '../conditions.ts';
import { deliveryParams, idOr, pageQuery } from '../parameters.ts';
import { deliveryDetail } from '../payments/payment-detail.ts';
import { refTo } from '../schemas.ts';
import { oneOf } from '../shapes.ts';
import { deliveryStates, readDeliveryFilter } from './filter.ts';
import { RedriveBody } from './schemas.ts';
import { redriveBounds, sendAgain } from './send-again.ts';

const tags = ['Deliveries'];
const security = [{ bearer: [] }];
const ListQuery = Type.Object({
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only that store’s.' })),
  paymentId: Type.Optional(Type.String({ format: 'uuid', description: 'Only that payment’s.' })),
  state: Type.Optional(oneOf(deliveryStates, 'Only those in this state.')),
  ...pageQuery,
});

/** The ledger of webhook deliveries (design 6). */
export async function deliveryRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const { db } = context;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  const list = {
    operationId: 'listDeliveries',
    summary: 'The ledger, newest first',
    description: 'Every webhook that was sent or is to be. Filters narrow one another.',
    tags,
    security,
  };
  const listed = {
    200: answerOf('A page of the ledger.', Type.Ref('DeliveryList')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage, ofStoreId, ofPaymentId, ofDeliveryState),
  };
  const listSchema = { ...list, querystring: ListQuery, response: listed };
  // The schema describes; `field-values.ts` judges, as for the public list.
  const validatorCompiler = () => () => true;
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/deliveries', { schema: listSchema, validatorCompiler }, async (request) => {
    const { page, limit } = readPage(request.query);
    const filter = readDeliveryFilter(request.query);
    return { ...(await listDeliveries(db, filter, { page, limit })), page, limit };
  });

  const get = {
    operationId: 'getDelivery',
    summary: 'A delivery with its attempts',
    description: 'What was sent, when, and what the receiver answered each time.',
    tags,
    security,
    params: deliveryParams,
  };
  const response = {
    200: answerOf('The delivery.', Type.Ref('DeliveryDetail')),
    ...errorAnswersOf(...ofAdministrator, ofKey, notFound.delivery),
  };
  routes.get('/deliveries/:id', { schema: { ...get, response } }, async (request) => {
    const delivery = await findDelivery(db, idOr(errors.deliveryNotFound, request.params.id));
    if (!delivery) throw errors.deliveryNotFound();
    return deliveryDetail(db, delivery);
  });

  const again = {
    operationId: 'redeliver',
    summary: 'Send a delivery again, now',
    description: 'Whatever became of it, under the same `webhook-id`, with a fresh schedule of retries.',
    tags,
    security,
    params: deliveryParams,
    headers: authorHeaders,
    body: refTo(ReasonBody),
    'x-optional-body': true,
  };
  const accepted = {
    202: answerOf('It falls due now.', Type.Ref('Delivery')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.delivery, ofDeliveryUnderWay),
  };
  const path = '/deliveries/:id/redeliver';
  const againSchema = { ...again, response: accepted };
  routes.post(path, { schema: againSchema, preValidation: optionalBody }, async (request, reply) => {
    const id = idOr(errors.deliveryNotFound, request.params.id);
    return reply.code(202).send(await sendAgain(context, id, authorOf(request, request.body)));
  });

  const many = {
    operationId: 'redeliverMany',
    summary: 'Send many deliveries again',
    description: 'Oldest first, at most 10,000; they fall due spread out, 50 a second.',
    tags,
    security,
    'x-optional-body': true,
  };
  const counted = {
    202: answerOf('How many fall due.', Type.Ref('Redelivered')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, ofStoreId, ofDeliveryState, ofSince, ofSinceType),
  };
  const manySchema = { ...many, headers: authorHeaders, body: refTo(RedriveBody), response: counted };
  routes.post(
    '/deliveries/redeliver',
    { schema: manySchema, preValidation: optionalBody },
    async (request, reply) => {
      const redrive = { by: authorOf(request, request.body), now: context.now() };
      const redelivered = await redeliverMany(db, readRedrive(request.body), redriveBounds, redrive);
      return reply.code(202).send({ redelivered });
    },
  );
}

function readRedrive({ storeId, state, since }: Static<typeof RedriveBody>): RedriveFilter {
  return {
    state: state ?? 'dead',
    ...(typeof storeId === 'string' ? { storeId: readId('storeId', storeId) } : {}),
    ...(typeof since === 'string' ? { since: readDateTime('since', since) } : {}),
  };
}
