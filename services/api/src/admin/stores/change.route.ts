import { updateStore } from '@payments/database/stores/stores';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorOf } from '../author.ts';
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
import { readStoreFields, StoreChangeBody, storeView } from './store-fields.ts';

const ofFields = [ofChange, ofStoreName, ofActive, ofStoreTerms, ofStoreBanks];

const schema = {
  operationId: 'changeStore',
  summary: 'Change a store',
  description: 'New terms apply to payments created after the change.',
  tags: ['Stores'],
  params: storeParams,
  body: refTo(StoreChangeBody),
  response: {
    200: answerOf('The store after the change.', Type.Ref('Store')),
    ...adminAnswersOf(...ofFields, notFound.store),
  },
};

/** `PATCH /admin/stores/{id}`. */
export function changeRoute(app: FastifyInstance, { db, banks, now }: ApiContext): void {
  type Change = { Params: IdParams; Body: Static<typeof StoreChangeBody> };
  app.patch<Change>('/stores/:id', { schema, config: { may: 'changeStores' } }, async (request) => {
    const fields = readStoreFields(request.body, banks);
    const id = ownStore(request.actor, request.params.id);
    const store = await updateStore(db, id, fields, { by: authorOf(request, request.body), now: now() });
    if (!store) throw errors.storeNotFound();
    return storeView(store);
  });
}
