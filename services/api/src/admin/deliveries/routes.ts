import {
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  redeliver,
  redeliverMany,
} from '@payments/database/deliveries';
import type { DeliveryState } from '@payments/database/schema';
import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { type IdParams, idOr, idParams, pageQuery } from '../parameters.ts';
import { deliveryDetail } from '../payments/payment-detail.ts';

const tags = ['Deliveries'];
const security = [{ bearer: [] }];
const state = Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('dead')]);
const redriveAtMost = 10_000;
const redrivePerSecond = 50;

const ListQuery = Type.Object({
  storeId: Type.Optional(Type.String()),
  paymentId: Type.Optional(Type.String()),
  state: Type.Optional(state),
  ...pageQuery,
});
const RedriveBody = Type.Object({
  storeId: Type.Optional(Type.String()),
  state: Type.Optional(state),
  since: Type.Optional(Type.String({ description: 'ISO 8601 date-time: deliveries created since.' })),
});

type Query = { storeId?: string; paymentId?: string; state?: DeliveryState; page?: number; limit?: number };
type Redrive = { storeId?: string; state?: DeliveryState; since?: string };

/** The ledger of webhook deliveries (design 6). */
export async function deliveryRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const { db } = context;

  const list = { operationId: 'listDeliveries', summary: 'The ledger, newest first', tags, security };
  const listed = { 200: Type.Ref('DeliveryList'), ...errorAnswersOf(400, 401, 500, 503) };
  const listSchema = { ...list, querystring: ListQuery, response: listed };
  app.get<{ Querystring: Query }>('/deliveries', { schema: listSchema }, async (request) => {
    const { page = 1, limit = 50, ...filter } = request.query;
    return { ...(await listDeliveries(db, readFilter(filter), { page, limit })), page, limit };
  });

  const get = {
    operationId: 'getDelivery',
    summary: 'A delivery with its attempts',
    tags,
    security,
    params: idParams,
  };
  const response = { 200: Type.Ref('DeliveryDetail'), ...errorAnswersOf(401, 404, 500, 503) };
  app.get<{ Params: IdParams }>('/deliveries/:id', { schema: { ...get, response } }, async (request) => {
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
  };
  const accepted = { 202: Type.Ref('Delivery'), ...errorAnswersOf(401, 404, 409, 500, 503) };
  const path = '/deliveries/:id/redeliver';
  app.post<{ Params: IdParams }>(
    path,
    { schema: { ...again, response: accepted } },
    async (request, reply) => {
      const id = idOr(errors.deliveryNotFound, request.params.id);
      const due = await redeliver(db, id);
      const delivery = await findDelivery(db, id);
      if (!delivery) throw errors.deliveryNotFound();
      if (!due) throw errors.deliveryUnderWay();
      return reply.code(202).send(delivery);
    },
  );

  const many = { operationId: 'redeliverMany', summary: 'Send many deliveries again', tags, security };
  const counted = {
    202: Type.Object({ redelivered: Type.Integer() }),
    ...errorAnswersOf(400, 401, 500, 503),
  };
  const preValidation = async (request: { body: unknown }) => {
    request.body ??= {};
  };
  const manySchema = { ...many, body: RedriveBody, response: counted };
  app.post<{ Body: Redrive }>(
    '/deliveries/redeliver',
    { schema: manySchema, preValidation },
    async (request, reply) => {
      const bounds = { limit: redriveAtMost, perSecond: redrivePerSecond };
      return reply
        .code(202)
        .send({ redelivered: await redeliverMany(db, readRedrive(request.body), bounds) });
    },
  );
}

function readFilter({ storeId, paymentId, state }: Omit<Query, 'page' | 'limit'>): DeliveryFilter {
  return {
    ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
    ...(paymentId === undefined ? {} : { paymentId: readId('paymentId', paymentId) }),
    ...(state === undefined ? {} : { state }),
  };
}

function readRedrive({ storeId, state = 'dead', since }: Redrive) {
  const from = since === undefined ? undefined : new Date(since);
  if (from && Number.isNaN(from.getTime()))
    throw errors.invalidField('since must be a valid ISO 8601 date string');
  return {
    state,
    ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
    ...(from ? { since: from } : {}),
  };
}

function readId(name: string, value: string): string {
  if (!isId(value)) throw errors.invalidField(`${name} must be a UUID`);
  return value;
}
