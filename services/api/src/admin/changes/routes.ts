import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { listRoute } from './list.route.ts';
import { ofStoreRoute } from './of-store.route.ts';

/** What administrators changed: who, when, from what, to what, and why. */
export async function changeRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  listRoute(app, context);
  ofStoreRoute(app, context);
}
