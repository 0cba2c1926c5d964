import { readOverview } from '@payments/database/operations/overview';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { ofAdministrator, ofKey } from '../conditions.ts';
import { overviewView } from './overview-view.ts';

const schema = {
  operationId: 'getOverview',
  summary: 'How things stand: what waits, and for whom',
  description: 'The figures of a start page: payments by status, and what waits for a person or a receiver.',
  tags: ['Overview'],
  security: [{ bearer: [] }],
  response: {
    200: answerOf('How things stand now.', Type.Ref('Overview')),
    ...errorAnswersOf(...ofAdministrator, ofKey),
  },
};

/** `GET /admin/overview`. */
export async function overviewRoute(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  app.get('/overview', { schema }, async () =>
    overviewView(await readOverview(context.db, context.now()), context),
  );
}
