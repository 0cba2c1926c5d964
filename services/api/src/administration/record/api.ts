import type { Page } from '@payments/database/filters';
import { type ChangeFilter, listChanges } from '@payments/database/record/changes';
import { Type } from '@sinclair/typebox';
import { type Actor, readKind, storeOr404 } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { ofPage, pageQuery, readPage } from '../../http/readers.ts';
import { adminAnswersOf, notFound, ofKind } from '../conditions.ts';
import { kindQuery, storeParams } from '../shapes.ts';
import { changeView } from './schemas.ts';

const common = { tags: ['Changes'], querystring: Type.Object(pageQuery('Entries')) };

const list = {
  ...common,
  querystring: Type.Object({ ...kindQuery, ...pageQuery('Entries') }),
  operationId: 'listChanges',
  summary: 'List administrators’ changes, newest first',
  description:
    'Changes of stores, tokens, payments, refunds and deliveries, each with author, time, reason, and old and new values.',
  response: {
    200: answerOf('A page of changes.', Type.Ref('ChangeList')),
    ...adminAnswersOf(ofPage, ofKind),
  },
};

const ofStore = {
  ...common,
  operationId: 'listChangesOfStore',
  summary: 'List administrators’ changes of a store, newest first',
  description:
    'Changes of the store, its tokens and its webhook secret. The changes of a payment are part of the payment.',
  params: storeParams,
  response: {
    200: answerOf('A page of the store’s changes.', Type.Ref('ChangeList')),
    ...adminAnswersOf(ofPage, notFound.store),
  },
};

/** The record of administrators' changes: `GET /admin/changes` and `GET /admin/stores/{id}/changes`. */
export const recordApi: AdministrationPlugin = async (app, { context }) => {
  const read = async (actor: Actor, filter: ChangeFilter, page: Page) => {
    const { items, total } = await context.longReads.list(actor, (db) => listChanges(db, filter, page));
    return { items: items.map(changeView), ...page, total };
  };

  const all = { schema: list, config: { may: 'readRecord' as const }, ...skipValidation };
  app.get('/changes', all, async ({ actor, query }) => read(actor, readKind(actor, query), readPage(query)));

  const some = { schema: ofStore, config: { may: 'readStoreRecord' as const }, ...skipValidation };
  app.get('/stores/:id/changes', some, async ({ actor, params, query }) => {
    const page = readPage(query);
    const { id: storeId } = await storeOr404(context, actor, params.id);
    return read(actor, { storeId }, page);
  });
};
