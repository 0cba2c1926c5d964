import { readOverview } from '@payments/database/backlog';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { adminAnswersOf } from '../conditions.ts';
import { overviewView } from './overview-view.ts';

const schema = {
  operationId: 'getOverview',
  summary: 'Get the overview',
  description: 'Counts of payments by status, and of everything that waits for a person or a receiver.',
  tags: ['Overview'],
  response: {
    200: answerOf('The overview.', Type.Ref('Overview')),
    ...adminAnswersOf(),
  },
};

/** `GET /admin/overview`. */
export function overviewRoute(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/overview', { schema, config: { may: 'readOverview' } }, async () =>
    overviewView(await readOverview(context.db, context.now()), context),
  );
}
