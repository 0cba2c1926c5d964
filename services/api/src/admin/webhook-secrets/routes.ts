import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { getRoute } from './get.route.ts';
import { rotateRoute } from './rotate.route.ts';

/** The secret that signs a store's webhooks, and its rotation with overlap (Contract: signature). */
export async function webhookSecretRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  getRoute(app, context);
  rotateRoute(app, context);
}
