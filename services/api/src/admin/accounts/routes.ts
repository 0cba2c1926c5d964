import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { changeRoute } from './change.route.ts';
import { createRoute } from './create.route.ts';
import { inviteRoute } from './invite.route.ts';
import { listRoute } from './list.route.ts';

/** People's accounts: made, listed, changed and invited. */
export async function accountRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  createRoute(app, context);
  listRoute(app, context);
  changeRoute(app, context);
  inviteRoute(app, context);
}
