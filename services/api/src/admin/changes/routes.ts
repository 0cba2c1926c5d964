import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { ofStoreRoute } from './of-store.route.ts';

/** The record of administrators' changes. */
export async function changeRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  ofStoreRoute(app, context);
}
