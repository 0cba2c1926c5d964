import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { listRefundsNotMade } from '@payments/database/refunds-not-made';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { readId, readOneOf, readPage } from '../../field-values.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import {
  notFound,
  ofAdministrator,
  ofChange,
  ofKey,
  ofPage,
  ofRefundAnew,
  ofRefundState,
  ofStoreId,
} from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { oneOf } from '../shapes.ts';
import { refundAnew } from './refund-anew.ts';
import { refundView } from './refund-view.ts';

const tags = ['Refunds'];
const security = [{ bearer: [] }];
export const notMade = ['requested', 'processing', 'failed'] as const;

const ListQuery = Type.Object({
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only that store’s.' })),
  state: Type.Optional(oneOf(notMade, 'Only those in this state.')),
  ...pageQuery,
});

/** Refunds that need someone's eye, and a way to order one again that the bank refused. */
export async function refundRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  const list = {
    operationId: 'listRefundsNotMade',
    summary: 'Refunds that have not been made, newest first',
    description: 'One with `isOwed` waits for a person: the bank refused it, and the money is still here.',
    tags,
    security,
    querystring: ListQuery,
    response: {
      200: answerOf('What has not been made.', Type.Ref('RefundList')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage, ofStoreId, ofRefundState),
    },
  };
  const validatorCompiler = () => () => true;
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/refunds', { schema: list, validatorCompiler }, async (request) => {
    const page = readPage(request.query);
    const { storeId, state } = request.query;
    const filter = {
      ...(storeId === undefined ? {} : { storeId: readId('storeId', storeId) }),
      ...(state === undefined ? {} : { state: readOneOf('state', state, notMade) }),
    };
    const { items, total } = await listRefundsNotMade(context.db, filter, page);
    return { items: items.map(refundView), ...page, total };
  });

  const anew = {
    operationId: 'refundAnew',
    summary: 'Order a refund again that the bank refused',
    description:
      'A new refund, under an id of its own, of what is left of the Pix. Each refused refund can be replaced once, ' +
      'and only while its money is owed to the payer.',
    tags,
    security,
    params: Type.Object({
      id: Type.String({ description: 'Identifier of the payment.' }),
      refundId: Type.String({ description: 'Identifier of the refund that the bank refused.' }),
    }),
    headers: authorHeaders,
    body: refTo(ReasonBody),
    'x-optional-body': true,
    response: {
      202: answerOf('The new refund was ordered; the bank is asked for it now.', Type.Ref('Refund')),
      ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.refund, ofRefundAnew),
    },
  };
  const routes = app.withTypeProvider<TypeBoxTypeProvider>();
  const path = '/payments/:id/refunds/:refundId/retry';
  routes.post(path, { schema: anew, preValidation: optionalBody }, async (request, reply) => {
    const { id: paymentId, refundId } = request.params;
    const order = { paymentId, refundId, by: authorOf(request, request.body) };
    const refund = await refundAnew(context, order, request.log);
    return reply.code(202).send(refundView(refund));
  });
}
