import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findStore, listStores, updateStore } from '@payments/database/stores';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf } from '../author.ts';
import { idOr, idParams } from '../parameters.ts';
import { createStore } from './create-store.ts';
import { paymentOfStoreRoute } from './payment.route.ts';
import { NewStoreBody, readStoreFields, StoreChangeBody, storeView } from './store-fields.ts';
import { tokenRoutes } from './tokens.routes.ts';
import { webhookSecretRoutes } from './webhook-secret.routes.ts';

const tags = ['Stores'];
const security = [{ bearer: [] }];
const one = { 200: Type.Ref('Store'), ...errorAnswersOf(400, 401, 404, 500, 503) };

/** Stores, and what belongs to one (design 6). */
export async function storeRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const { db, now } = context;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  const create = {
    operationId: 'createStore',
    summary: 'Create a store',
    tags,
    security,
    headers: authorHeaders,
    body: NewStoreBody,
  };
  const created = { 201: Type.Ref('Store'), ...errorAnswersOf(400, 401, 500, 503) };
  routes.post('/stores', { schema: { ...create, response: created } }, async (request, reply) => {
    const store = await createStore(context, request.body, authorOf(request, request.body));
    return reply.code(201).send(storeView(store));
  });

  const list = { operationId: 'listStores', summary: 'List stores', tags, security };
  const stores = {
    200: Type.Object({ items: Type.Array(Type.Ref('Store')) }),
    ...errorAnswersOf(401, 500, 503),
  };
  routes.get('/stores', { schema: { ...list, response: stores } }, async () => ({
    items: (await listStores(db)).map(storeView),
  }));

  const get = { operationId: 'getStore', summary: 'Get a store', tags, security, params: idParams };
  routes.get('/stores/:id', { schema: { ...get, response: one } }, async (request) => {
    const store = await findStore(db, idOr(errors.storeNotFound, request.params.id));
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });

  const change = { operationId: 'changeStore', summary: 'Change a store', tags, security, params: idParams };
  const changeSchema = { ...change, headers: authorHeaders, body: StoreChangeBody, response: one };
  routes.patch('/stores/:id', { schema: changeSchema }, async (request) => {
    const fields = readStoreFields(request.body);
    const id = idOr(errors.storeNotFound, request.params.id);
    const change = { by: authorOf(request, request.body), now: now() };
    const store = await updateStore(db, id, fields, change);
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });

  tokenRoutes(app, context);
  webhookSecretRoutes(app, context);
  paymentOfStoreRoute(app, context);
}
