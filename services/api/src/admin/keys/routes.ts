import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { createRoute } from './create.route.ts';
import { deleteRoute } from './delete.route.ts';
import { listRoute } from './list.route.ts';

/** Keys of programs: made, listed and deleted. */
export async function keyRoutes(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  deleteRoute(app, context);
}
