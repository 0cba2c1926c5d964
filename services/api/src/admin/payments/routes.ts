import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { createRoute } from './create.route.ts';
import { exportRoute } from './export.route.ts';
import { getRoute } from './get.route.ts';
import { moveRoute } from './move.route.ts';
import { searchRoute } from './search.route.ts';

/** Payments of all stores, for administrators. */
export async function adminPaymentRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  createRoute(app, context);
  searchRoute(app, context);
  exportRoute(app, context);
  getRoute(app, context);
  moveRoute(app, context);
}
