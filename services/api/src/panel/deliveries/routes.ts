import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { deliveryActions } from './actions.ts';
import { endpointPages } from './endpoints.routes.ts';
import { deliveryExport, deliveryListPage } from './list.route.ts';

/** The pages of webhook deliveries and of failing receivers. */
export async function deliveryPages(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  deliveryListPage(app, context);
  deliveryExport(app, context);
  deliveryActions(app, context);
  endpointPages(app, context);
}
