import { listChanges } from '@payments/database/changes';
import { findStore } from '@payments/database/stores';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { readPage } from '../../field-values.ts';
import { notFound, ofAdministrator, ofKey, ofPage } from '../conditions.ts';
import { type IdParams, idOr, pageQuery, storeParams } from '../parameters.ts';
import { changeView } from './change-view.ts';

const tags = ['Changes'];
const security = [{ bearer: [] }];
const querystring = Type.Object(pageQuery);

/** What administrators changed: who, when, from what, to what, and why. */
export async function changeRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const { db } = context;
  const validatorCompiler = () => () => true;
  type Query = Record<string, unknown>;

  const all = {
    operationId: 'listChanges',
    summary: 'All that administrators changed, newest first',
    description:
      'Of stores, tokens, payments, refunds and deliveries: who, when, from what, to what, and why.',
    tags,
    security,
    querystring,
    response: {
      200: answerOf('What was changed.', Type.Ref('ChangeList')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage),
    },
  };
  app.get<{ Querystring: Query }>('/changes', { schema: all, validatorCompiler }, async (request) => {
    const page = readPage(request.query);
    const { items, total } = await listChanges(db, {}, page);
    return { items: items.map(changeView), ...page, total };
  });

  const ofStore = {
    operationId: 'listChangesOfStore',
    summary: 'What administrators changed of a store, newest first',
    description: 'The store, its tokens and its webhook secret. What concerns one payment is shown with it.',
    tags,
    security,
    params: storeParams,
    querystring,
    response: {
      200: answerOf('What was changed of the store.', Type.Ref('ChangeList')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage, notFound.store),
    },
  };
  type OfStore = { Params: IdParams; Querystring: Query };
  app.get<OfStore>('/stores/:id/changes', { schema: ofStore, validatorCompiler }, async (request) => {
    const page = readPage(request.query);
    const storeId = idOr(errors.storeNotFound, request.params.id);
    if (!(await findStore(db, storeId))) throw errors.storeNotFound();
    const { items, total } = await listChanges(db, { storeId }, page);
    return { items: items.map(changeView), ...page, total };
  });
}
