import { listChargeProblems } from '@payments/database/charges/problems';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { readPage } from '../../http/field-values.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { adminAnswersOf, ofPage } from '../conditions.ts';
import { pageQuery } from '../parameters.ts';

const schema = {
  operationId: 'listChargeProblems',
  summary: 'List charges that keep failing, oldest first',
  description:
    'Charges that the service could not register, settle, close or cancel. It keeps retrying them.',
  tags: ['Payments'],
  querystring: Type.Object(pageQuery),
  response: {
    200: answerOf('A page of charges that keep failing.', Type.Ref('ChargeProblemList')),
    ...adminAnswersOf(...ofPage),
  },
};

/** `GET /admin/charge-problems`. */
export function chargeProblemsRoute(app: FastifyInstance, context: AdministrationContext): void {
  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>(
    '/charge-problems',
    { schema, config: { may: 'readProblems' }, ...skipValidation },
    async (request) => {
      const page = readPage(request.query);
      return { ...(await listChargeProblems(context.db, page)), ...page };
    },
  );
}
