import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { getRoute } from './get.route.ts';
import { rotateRoute } from './rotate.route.ts';

/** A store's webhook secret and its rotation (Contract: signature). */
export async function webhookSecretRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  getRoute(app, context);
  rotateRoute(app, context);
}
