import type { Queryable } from '@payments/database/connection';
import { searchPayments } from '@payments/database/payments/search';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readPage } from '../../http/field-values.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, ofLongRead, ofPage, ofSearch } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { recordPage, recordSearch } from '../record/record-reading.ts';
import { readPaymentSearch, searchQuery } from './payment-search.ts';

const schema = {
  operationId: 'searchPayments',
  summary: 'Search payments of all stores, newest first',
  description:
    'A payment must match every filter. `q` finds parts of texts in any case; `%` and `_` mean themselves. With `q`, ' +
    '`total` stops at 10,000, and `totalIsLowerBound` is true.',
  tags: ['Payments'],
  querystring: Type.Object({ ...searchQuery, ...pageQuery }),
  response: {
    200: answerOf('A page of the payments found.', Type.Ref('FoundPayments')),
    ...adminAnswersOf(...ofPage, ofSearch, ofLongRead),
  },
};

/** `GET /admin/payments`. */
export function searchRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/payments',
    { schema, config: { may: 'readPayments' }, ...skipValidation },
    async (request) => {
      const { actor, query } = request;
      const page = readPage(query);
      const search = readPaymentSearch(context, actor, query);
      const reading = { actor, query, by: authorOf(request) };
      await recordSearch(context, reading);
      await recordPage(context, reading, page);
      const find = (db: Queryable) => searchPayments(db, search, page);
      const { items, total, totalIsLowerBound } = await (search.q === undefined
        ? find(context.db)
        : context.longReads.read(actor, find));
      const views = items.map((payment) => ({
        ...paymentReadView(payment, context.publicUrl),
        bank: payment.bank,
      }));
      return { items: views, ...page, total, totalIsLowerBound };
    },
  );
}
