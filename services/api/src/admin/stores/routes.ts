import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { findStore, listStores, updateStore } from '@payments/database/stores';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf } from '../author.ts';
import {
  notFound,
  ofActive,
  ofAdministrator,
  ofChange,
  ofKey,
  ofStoreName,
  ofStoreTerms,
} from '../conditions.ts';
import { idOr, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { createStore } from './create-store.ts';
import { paymentOfStoreRoute } from './payment.route.ts';
import { NewStoreBody, readStoreFields, StoreChangeBody, storeView } from './store-fields.ts';
import { tokenRoutes } from './tokens.routes.ts';
import { webhookSecretRoutes } from './webhook-secret.routes.ts';

const tags = ['Stores'];
const security = [{ bearer: [] }];

/** Stores, and what belongs to one (design 6). */
export async function storeRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  const { db, now } = context;
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();

  const create = {
    operationId: 'createStore',
    summary: 'Create a store',
    description: 'Active, with a webhook secret of its own, and without a token.',
    tags,
    security,
    headers: authorHeaders,
    body: refTo(NewStoreBody),
  };
  const created = {
    201: answerOf('The store.', Type.Ref('Store')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, ofStoreName, ofStoreTerms),
  };
  routes.post('/stores', { schema: { ...create, response: created } }, async (request, reply) => {
    const store = await createStore(context, request.body, authorOf(request, request.body));
    return reply.code(201).send(storeView(store));
  });

  const list = {
    operationId: 'listStores',
    summary: 'List stores',
    description: 'All of them, oldest first.',
    tags,
    security,
  };
  const stores = {
    200: answerOf('The stores.', Type.Ref('StoreList')),
    ...errorAnswersOf(...ofAdministrator, ofKey),
  };
  routes.get('/stores', { schema: { ...list, response: stores } }, async () => ({
    items: (await listStores(db)).map(storeView),
  }));

  const get = {
    operationId: 'getStore',
    summary: 'Get a store',
    description: 'The store, and the terms of its payments.',
    tags,
    security,
    params: storeParams,
  };
  const found = {
    200: answerOf('The store.', Type.Ref('Store')),
    ...errorAnswersOf(...ofAdministrator, ofKey, notFound.store),
  };
  routes.get('/stores/:id', { schema: { ...get, response: found } }, async (request) => {
    const store = await findStore(db, idOr(errors.storeNotFound, request.params.id));
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });

  const change = {
    operationId: 'changeStore',
    summary: 'Change a store',
    description: 'New terms hold for payments that are created from then on.',
    tags,
    security,
    params: storeParams,
    headers: authorHeaders,
    body: refTo(StoreChangeBody),
  };
  const changed = {
    200: answerOf('The store as it is now.', Type.Ref('Store')),
    ...errorAnswersOf(
      ...ofAdministrator,
      ...[ofKey, ofChange, ofStoreName, ofActive, ofStoreTerms, notFound.store],
    ),
  };
  const changeSchema = { ...change, response: changed };
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
