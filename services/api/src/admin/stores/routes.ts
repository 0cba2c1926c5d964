import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { changeRoute } from './change.route.ts';
import { createRoute } from './create.route.ts';
import { getRoute } from './get.route.ts';
import { listRoute } from './list.route.ts';

export async function storeRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  getRoute(app, context);
  changeRoute(app, context);
}
