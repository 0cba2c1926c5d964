import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import { reaisFrom } from '@payments/domain/money';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { adminAnswersOf, ofPage } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';

const schema = {
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

/** `GET /admin/unmatched-pix`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/unmatched-pix',
    { schema, config: { may: 'reconcile' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      const { items, total } = await listUnmatchedPix(db, page);
      return { items: items.map((pix) => ({ ...pix, amount: reaisFrom(pix.amount) })), ...page, total };
    },
  );
}
