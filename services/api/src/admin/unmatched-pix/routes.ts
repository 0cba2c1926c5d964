import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { refundRoute } from './refund.route.ts';

/** Unmatched Pix and their refund. */
export async function unmatchedPixRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  refundRoute(app, context);
}
