import { readOverview } from '@payments/database/operations/overview';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { ofAdministrator, ofKey } from '../conditions.ts';
import { overviewView } from './overview-view.ts';

const schema = {
  operationId: 'getOverview',
  summary: 'Get the overview',
  description: 'Counts of payments by status, and of everything that waits for a person or a receiver.',
  tags: ['Overview'],
  security: [{ bearer: [] }],
  response: {
    200: answerOf('The overview.', Type.Ref('Overview')),
    ...errorAnswersOf(...ofAdministrator, ofKey),
  },
};

/** `GET /admin/overview`. */
export async function overviewRoute(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  app.get('/overview', { schema, config: { may: 'readOverview' } }, async () =>
    overviewView(await readOverview(context.db, context.now()), context),
  );
}
