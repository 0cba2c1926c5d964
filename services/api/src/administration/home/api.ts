import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readOverview } from '@payments/database/backlog';
import { Type } from '@sinclair/typebox';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { adminAnswersOf } from '../conditions.ts';
import { overviewView } from './schemas.ts';

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

/** The counts of the overview, in the administration's API. */
export const overviewApi: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get('/overview', { schema, config: { may: 'readOverview' } }, async () =>
    overviewView(await readOverview(context.db, context.now()), context),
  );
};
