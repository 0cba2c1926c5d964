import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { retryRoute } from './retry.route.ts';

/** Refunds that need someone's eye, and a way to order one again that the bank refused. */
export async function refundRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  retryRoute(app, context);
}
