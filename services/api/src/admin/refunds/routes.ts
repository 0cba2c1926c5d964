import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { createRoute } from './create.route.ts';
import { listRoute } from './list.route.ts';
import { retryRoute } from './retry.route.ts';
import { withdrawRoute } from './withdraw.route.ts';

/** Refunds of approved payments, those that need someone's eye, and a way to order one again that the bank refused. */
export async function refundRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  retryRoute(app, context);
  withdrawRoute(app, context);
}
