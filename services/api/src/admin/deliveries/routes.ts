import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { exportRoute } from './export.route.ts';
import { getRoute } from './get.route.ts';
import { listRoute } from './list.route.ts';
import { redeliverRoute } from './redeliver.route.ts';
import { redeliverManyRoute } from './redeliver-many.route.ts';

/** Webhook deliveries. */
export async function deliveryRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  exportRoute(app, context);
  getRoute(app, context);
  redeliverRoute(app, context);
  redeliverManyRoute(app, context);
}
