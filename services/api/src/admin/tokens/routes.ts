import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { createRoute } from './create.route.ts';
import { deactivateRoute } from './deactivate.route.ts';
import { listRoute } from './list.route.ts';

/** A store's tokens. */
export async function tokenRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  deactivateRoute(app, context);
}
