import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { releaseRoute } from './release.route.ts';

/** Receivers that fail now: their deliveries wait while one at a time probes whether they work again. */
export async function endpointRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  releaseRoute(app, context);
}
