import { listRefundsFound, type RefundOfStore, readRefundsAfter } from '@payments/database/refunds/list';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { csvQuery } from '../../http/csv.ts';
import { csvAnswerOf } from '../../http/csv-answer.ts';
import { readPage } from '../../http/field-values.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { ofRange } from '../../http/time-range.ts';
import { ofBank } from '../banks/bank-filter.ts';
import {
  adminAnswersOf,
  ofAnyRefundState,
  ofCsvForm,
  ofLongRead,
  ofPage,
  ofRefundState,
  ofStoreId,
} from '../conditions.ts';
import { pageQuery } from '../parameters.ts';
import { recordExport } from '../record/record-reading.ts';
import { oneOf } from '../shapes.ts';
import { refundCsv } from './refund-csv.ts';
import { readRefundFilter, refundQuery, refundStates } from './refund-filter.ts';
import { refundView } from './refund-view.ts';

const limit = 1_000;
const notMade = ['requested', 'processing', 'failed'] as const;
const stateQuery = (states: readonly string[]) => ({
  state: Type.Optional(oneOf(states, 'Only refunds in this state.')),
});

const list = {
  operationId: 'listRefundsNotMade',
  summary: 'List unfinished and failed refunds, newest first',
  description:
    'A refund with `isOwed` waits for a person: the bank refused it, and the account still holds the money.',
  tags: ['Refunds'],
  querystring: Type.Object({ ...refundQuery, ...stateQuery(notMade), ...pageQuery }),
  response: {
    200: answerOf('A page of refunds.', Type.Ref('RefundList')),
    ...adminAnswersOf(...ofPage, ofStoreId, ofRefundState, ofBank, ofRange),
  },
};

const asCsv = {
  operationId: 'exportRefunds',
  summary: 'Export refunds as CSV, newest first',
  description: 'Refunds of all states, also made ones, ours and the banks’ (MED), streamed.',
  tags: ['Refunds'],
  querystring: Type.Object({ ...refundQuery, ...stateQuery(refundStates), ...csvQuery }),
  response: {
    200: csvAnswerOf('The refunds found; amounts in BRL, like `1234.50`.', Object.keys(refundCsv)),
    ...adminAnswersOf(ofStoreId, ofAnyRefundState, ofBank, ofRange, ofCsvForm, ofLongRead),
  },
};

/** `GET /admin/refunds` and its CSV. */
export function listRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  type Query = { Querystring: Record<string, unknown> };

  const listing = { schema: list, config: { may: 'readPayments' as const }, ...skipValidation };
  app.get<Query>('/refunds', listing, async ({ actor, query }) => {
    const page = readPage(query);
    const filter = { isNotMade: true as const, ...readRefundFilter(context, actor, query, notMade) };
    const { items, total } = await listRefundsFound(db, filter, page);
    const shown = items.map((refund) => ({ ...refundView(refund), storeId: refund.storeId }));
    return { items: shown, ...page, total };
  });

  const exporting = { schema: asCsv, config: { may: 'exportRows' as const }, ...skipValidation };
  app.get<Query>('/refunds.csv', exporting, async (request, reply) => {
    const { actor } = request;
    // The tabs are the panel's.
    const query = { ...request.query, show: undefined };
    const filter = readRefundFilter(context, actor, query);
    const rows = context.longReads.ofExport<RefundOfStore>(reply, (trx, after) =>
      readRefundsAfter(trx, filter, { after, limit }),
    );
    await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'refunds' });
    const file = { name: 'refunds', columns: refundCsv };
    return sendCsv(reply, file, rows);
  });
}
