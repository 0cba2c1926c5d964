import type { StoredPayment } from '@payments/database/payments/payments';
import { readPaymentsAfter } from '@payments/database/payments/search';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { csvQuery } from '../../http/csv.ts';
import { csvAnswerOf } from '../../http/csv-answer.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, ofCsvForm, ofLongRead, ofSearch } from '../conditions.ts';
import { recordExport, recordSearch } from '../record/record-reading.ts';
import { paymentCsv } from './payment-csv.ts';
import { readPaymentSearch, searchQuery } from './payment-search.ts';

const limit = 1_000;

const schema = {
  operationId: 'exportPayments',
  summary: 'Export payments as CSV, newest first',
  description: 'The payments that the search with the same filters finds, all of them, streamed.',
  tags: ['Payments'],
  querystring: Type.Object({ ...searchQuery, ...csvQuery }),
  response: {
    200: csvAnswerOf('The payments found; amounts in BRL, like `1234.50`.', Object.keys(paymentCsv)),
    ...adminAnswersOf(ofSearch, ofCsvForm, ofLongRead),
  },
};

/** `GET /admin/payments.csv`. */
export function exportRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/payments.csv',
    { schema, config: { may: 'exportRows' }, ...skipValidation },
    async (request, reply) => {
      const { actor, query } = request;
      const search = readPaymentSearch(context, actor, query);
      const read = context.longReads.ofExport<StoredPayment>(reply, (db, after) =>
        readPaymentsAfter(db, search, { after, limit }),
      );
      const reading = { actor, query, by: authorOf(request) };
      await recordSearch(context, reading);
      await recordExport(context, reading, { kind: 'payments' });
      return sendCsv(reply, { name: 'payments', columns: paymentCsv }, read);
    },
  );
}
