import { readOverview } from '@payments/database/overview';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { overviewView } from './overview-view.ts';

const schema = {
  operationId: 'getOverview',
  summary: 'How things stand: what waits, and for whom',
  tags: ['Overview'],
  security: [{ bearer: [] }],
  response: { 200: Type.Ref('Overview'), ...errorAnswersOf(401, 500, 503) },
};

/** `GET /admin/overview`. */
export async function overviewRoute(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  app.get('/overview', { schema }, async () => overviewView(await readOverview(context.db), context));
}
