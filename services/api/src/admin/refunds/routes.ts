import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { createRoute } from './create.route.ts';
import { exportRoute } from './export.route.ts';
import { listRoute } from './list.route.ts';
import { retryRoute } from './retry.route.ts';
import { withdrawRoute } from './withdraw.route.ts';

/** Refunds: order, list, retry and withdraw. */
export async function refundRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  exportRoute(app, context);
  retryRoute(app, context);
  withdrawRoute(app, context);
}
