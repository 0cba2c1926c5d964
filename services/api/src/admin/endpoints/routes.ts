import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { releaseRoute } from './release.route.ts';

/** Failing receivers, and the release of one. */
export async function endpointRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  releaseRoute(app, context);
}
