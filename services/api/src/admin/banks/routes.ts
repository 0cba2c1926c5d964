import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { pauseRoutes } from './pause.routes.ts';

/** The banks: their state, pause and resume. */
export async function bankRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  listRoute(app, context);
  pauseRoutes(app, context);
}
