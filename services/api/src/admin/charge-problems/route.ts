import { listChargeProblems } from '@payments/database/charges/problems';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { readPage } from '../../field-values.ts';
import { skipValidation } from '../../skip-validation.ts';
import { ofAdministrator, ofKey, ofPage } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';

const schema = {
  operationId: 'listChargeProblems',
  summary: 'Charges on which work keeps failing, oldest first',
  description: 'What the bank says of them can’t be settled, closed or cancelled. They are tried again.',
  tags: ['Payments'],
  security: [{ bearer: [] }],
  querystring: Type.Object(pageQuery),
  response: {
    200: answerOf('What keeps failing.', Type.Ref('ChargeProblemList')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ...ofPage),
  },
};

/** `GET /admin/charge-problems`. */
export async function chargeProblemsRoute(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/charge-problems', { schema, ...skipValidation }, async (request) => {
    const page = readPage(request.query);
    return { ...(await listChargeProblems(context.db, page)), ...page };
  });
}
