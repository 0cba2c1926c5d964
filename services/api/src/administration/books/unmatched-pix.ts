import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { reaisFrom } from '@payments/domain/money';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readPage } from '../../http/field-values.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, notFound, ofChange, ofPage, ofUnmatchedRefund } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { refundView } from '../refunds/schemas.ts';
import { refTo } from '../schemas.ts';
import { refundUnmatched } from './refund-unmatched.ts';

const list = {
  operationId: 'listUnmatchedPix',
  summary: 'List unmatched Pix, newest first',
  description:
    'Pix that the bank lists and that fit no payment. The service keeps trying to match them. They stay in this list ' +
    'until they are matched or refunded.',
  tags: ['Refunds'],
  querystring: Type.Object(pageQuery),
  response: {
    200: answerOf('A page of unmatched Pix.', Type.Ref('UnmatchedPixList')),
    ...adminAnswersOf(...ofPage),
  },
};

const params = Type.Object({
  endToEndId: Type.String({ description: 'endToEndId of the unmatched Pix.' }),
});

const refund = {
  operationId: 'refundUnmatchedPix',
  summary: 'Refund an unmatched Pix',
  description: 'Refunds all that is left of the Pix.',
  tags: ['Refunds'],
  params,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    202: answerOf('The refund was ordered and goes to the bank now.', Type.Ref('Refund')),
    ...adminAnswersOf(ofChange, notFound.unmatchedPix, ofUnmatchedRefund),
  },
};

/** Unmatched Pix and their refund, at `/admin/unmatched-pix`. */
export function unmatchedPixRoutes(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  const listing = { schema: list, config: { may: 'reconcile' as const }, ...skipValidation };
  app.get<Query>('/unmatched-pix', listing, async (request) => {
    const page = readPage(request.query);
    const { items, total } = await listUnmatchedPix(context.db, page);
    return { items: items.map((pix) => ({ ...pix, amount: reaisFrom(pix.amount) })), ...page, total };
  });

  type Order = { Params: Static<typeof params>; Body: Static<typeof ReasonBody> };
  const ordering = {
    schema: refund,
    config: { may: 'refundUnmatched' as const },
    preValidation: optionalBody,
  };
  app.post<Order>('/unmatched-pix/:endToEndId/refund', ordering, async (request, reply) => {
    const order = { endToEndId: request.params.endToEndId, by: authorOf(request, request.body) };
    return reply.code(202).send(refundView(await refundUnmatched(context, order, request.log)));
  });
}
