import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import {
  findDelivery,
  listDeliveries,
  type RedriveFilter,
  redeliverMany,
} from '@payments/database/deliveries';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { readDateTime, readId, readPage } from '../../field-values.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody, reasonField } from '../author.ts';
import { idOr, idParams, pageQuery } from '../parameters.ts';
import { deliveryDetail } from '../payments/payment-detail.ts';
import { deliveryStates, readDeliveryFilter } from './filter.ts';
import { redriveBounds, sendAgain } from './send-again.ts';

const tags = ['Deliveries'];
const security = [{ bearer: [] }];
const state = Type.Union(deliveryStates.map((one) => Type.Literal(one)));
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

const ListQuery = Type.Object({
  storeId: Type.Optional(Type.String()),
  paymentId: Type.Optional(Type.String()),
  state: Type.Optional(state),
  ...pageQuery,
});
const RedriveBody = Type.Object({
  storeId: orNull(Type.String()),
  state: orNull(state),
  since: orNull(Type.String({ description: 'ISO 8601 date-time: deliveries created since.' })),
  reason: reasonField,
});

/** The ledger of webhook deliveries (design 6). */
export async function deliveryRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const { db } = context;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  const list = { operationId: 'listDeliveries', summary: 'The ledger, newest first', tags, security };
  const listed = { 200: Type.Ref('DeliveryList'), ...errorAnswersOf(400, 401, 500, 503) };
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
    tags,
    security,
    params: idParams,
  };
  const response = { 200: Type.Ref('DeliveryDetail'), ...errorAnswersOf(401, 404, 500, 503) };
  routes.get('/deliveries/:id', { schema: { ...get, response } }, async (request) => {
    const delivery = await findDelivery(db, idOr(errors.deliveryNotFound, request.params.id));
    if (!delivery) throw errors.deliveryNotFound();
    return deliveryDetail(db, delivery);
  });

  const again = {
    operationId: 'redeliver',
    summary: 'Send a delivery again, now',
    tags,
    security,
    params: idParams,
    headers: authorHeaders,
    body: ReasonBody,
  };
  const accepted = { 202: Type.Ref('Delivery'), ...errorAnswersOf(401, 404, 409, 500, 503) };
  const path = '/deliveries/:id/redeliver';
  const againSchema = { ...again, response: accepted };
  routes.post(path, { schema: againSchema, preValidation: optionalBody }, async (request, reply) => {
    const id = idOr(errors.deliveryNotFound, request.params.id);
    return reply.code(202).send(await sendAgain(context, id, authorOf(request, request.body)));
  });

  const many = { operationId: 'redeliverMany', summary: 'Send many deliveries again', tags, security };
  const counted = {
    202: Type.Object({ redelivered: Type.Integer() }),
    ...errorAnswersOf(400, 401, 500, 503),
  };
  const manySchema = { ...many, headers: authorHeaders, body: RedriveBody, response: counted };
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
