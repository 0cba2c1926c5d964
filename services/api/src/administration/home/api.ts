import { readOverview } from '@payments/database/backlog';
import { Type } from '@sinclair/typebox';
import { readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { adminAnswersOf, ofKind } from '../conditions.ts';
import { kindQuery } from '../shapes.ts';
import { overviewView } from './schemas.ts';

const schema = {
  operationId: 'getOverview',
  summary: 'Get the overview',
  description: 'Counts of payments by status, and of everything that waits for a person or a receiver.',
  tags: ['Overview'],
  querystring: Type.Object(kindQuery),
  response: {
    200: answerOf('The overview.', Type.Ref('Overview')),
    ...adminAnswersOf(ofKind),
  },
};

/** The counts of the overview, in the administration's API. */
export const overviewApi: AdministrationPlugin = async (app, { context }) => {
  const reading = { schema, config: { may: 'readOverview' as const }, ...skipValidation };
  app.get('/overview', reading, async ({ actor, query }) => {
    const { test } = readKind(actor, query);
    return overviewView(await readOverview(context.db, context.now(), test), context);
  });
};
