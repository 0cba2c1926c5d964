import { listStores, updateStore } from '@payments/database/stores/stores';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { ownStore, storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import {
  adminAnswersOf,
  notFound,
  ofActive,
  ofChange,
  ofStoreBanks,
  ofStoreName,
  ofStoreTerms,
} from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { createStore } from './create-store.ts';
import { NewStoreBody, readStoreFields, StoreChangeBody, storeView } from './store-fields.ts';

const tags = ['Stores'];

const create = {
  operationId: 'createStore',
  summary: 'Create a store',
  description: 'The store is active and has its own webhook secret, but no token yet.',
  tags,
  body: refTo(NewStoreBody),
  response: {
    201: answerOf('The store.', Type.Ref('Store')),
    ...adminAnswersOf(ofChange, ofStoreName, ofStoreTerms, ofStoreBanks),
  },
};

const list = {
  operationId: 'listStores',
  summary: 'List stores',
  description: 'All stores, oldest first.',
  tags,
  response: { 200: answerOf('The stores.', Type.Ref('StoreList')), ...adminAnswersOf() },
};

const get = {
  operationId: 'getStore',
  summary: 'Get a store',
  description: 'The store and the terms of its payments.',
  tags,
  params: storeParams,
  response: { 200: answerOf('The store.', Type.Ref('Store')), ...adminAnswersOf(notFound.store) },
};

const change = {
  operationId: 'changeStore',
  summary: 'Change a store',
  description: 'New terms apply to payments created after the change.',
  tags,
  params: storeParams,
  body: refTo(StoreChangeBody),
  response: {
    200: answerOf('The store after the change.', Type.Ref('Store')),
    ...adminAnswersOf(ofChange, ofStoreName, ofActive, ofStoreTerms, ofStoreBanks, notFound.store),
  },
};

/** Stores and the terms of their payments, at `/admin/stores`. */
export function storeRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db, banks, now } = context;
  const reading = { may: 'readStores' as const };
  const changing = { may: 'changeStores' as const };

  type Create = { Body: Static<typeof NewStoreBody> };
  app.post<Create>('/stores', { schema: create, config: changing }, async (request, reply) => {
    const store = await createStore(context, request.body, authorOf(request, request.body));
    return reply.code(201).send(storeView(store));
  });

  app.get('/stores', { schema: list, config: reading }, async ({ actor }) => ({
    items: (await listStores(db, actor.storeId)).map(storeView),
  }));

  type One = { Params: IdParams };
  app.get<One>('/stores/:id', { schema: get, config: reading }, async ({ actor, params }) =>
    storeView(await storeOr404(context, actor, params.id)),
  );

  type Change = One & { Body: Static<typeof StoreChangeBody> };
  app.patch<Change>('/stores/:id', { schema: change, config: changing }, async (request) => {
    const fields = readStoreFields(request.body, banks);
    const id = ownStore(request.actor, request.params.id);
    const store = await updateStore(db, id, fields, { by: authorOf(request, request.body), now: now() });
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });
}
