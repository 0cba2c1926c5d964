import { findStore } from '@payments/database/stores/stores';
import { readStatement } from '@payments/database/totals/statement';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { ownStore } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { csvQuery } from '../../http/csv.ts';
import { csvAnswerOf } from '../../http/csv-answer.ts';
import { errors } from '../../http/errors/errors.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, notFound, ofCsvForm, ofLongRead, ofStatement } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { recordExport } from '../record/actions.ts';
import { readStatementQuery, statementQuery } from './statement-query.ts';
import { statementCsv, statementView } from './statement-view.ts';

const common = {
  description:
    'What the store has by its approved payments: received, fees and what went back, by day or month in São Paulo. ' +
    'A second Pix and a rejected review never count.',
  tags: ['Totals'],
  params: storeParams,
  querystring: Type.Object(statementQuery),
};
const refused = adminAnswersOf(ofStatement, notFound.store, ofLongRead);

const item = { received: 250.5, fees: 3.76, givenBack: 20, closing: 226.74 };
const example = {
  summary: 'One day',
  value: { opening: 0, items: [{ period: '2026-11-23', ...item }], closing: 226.74 },
};

type Request = { Params: IdParams; Querystring: Record<string, unknown> };

/** `GET /admin/stores/{id}/statement` and its CSV. */
export function statementRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  const read = async ({ actor, params, query }: FastifyRequest<Request>) => {
    const days = readStatementQuery(query);
    const store = await findStore(db, ownStore(actor, params.id));
    if (!store) throw errors.storeNotFound();
    return context.longReads.read(actor, (trx) => readStatement(trx, { storeId: store.id, ...days }));
  };

  const statement = answerOf('The statement.', Type.Ref('Statement'), { example });
  const schema = { operationId: 'getStatement', summary: 'Get a store’s statement', ...common };
  const json = {
    schema: { ...schema, response: { 200: statement, ...refused } },
    config: { may: 'readPayments' as const },
    ...skipValidation,
  };
  app.get<Request>('/stores/:id/statement', json, async (request) => statementView(await read(request)));

  const table = csvAnswerOf('The periods of the statement.', Object.keys(statementCsv));
  const csvSchema = { operationId: 'exportStatement', summary: 'Export a store’s statement as CSV' };
  const csv = {
    schema: {
      ...csvSchema,
      ...common,
      querystring: Type.Object({ ...statementQuery, ...csvQuery }),
      response: { 200: table, ...adminAnswersOf(ofStatement, ofCsvForm, notFound.store, ofLongRead) },
    },
    config: { may: 'exportRows' as const },
    ...skipValidation,
  };
  app.get<Request>('/stores/:id/statement.csv', csv, async (request, reply) => {
    const { items } = await read(request);
    const { actor, params, query } = request;
    const reading = { actor, query, by: authorOf(request) };
    await recordExport(context, reading, { kind: 'statement', ofStore: params.id });
    const columns = { name: 'statement', columns: statementCsv };
    return sendCsv(reply, columns, async (after) => (after ? [] : items));
  });
}
