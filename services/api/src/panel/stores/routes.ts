import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { storeActions } from './actions.ts';
import { storeChangesPage } from './changes.route.ts';
import { storeListPages } from './list.routes.ts';
import { storeProfilePages } from './profile.routes.ts';
import { statementPages } from './statement.routes.ts';
import { storeTabPages } from './store-tab.routes.ts';
import { testEventRoute } from './test-event.route.ts';

/** The pages of stores. */
export async function storePages(app: FastifyInstance, { context }: { context: ApiContext }): Promise<void> {
  storeListPages(app, context);
  storeProfilePages(app, context);
  storeTabPages(app, context);
  statementPages(app, context);
  storeChangesPage(app, context);
  storeActions(app, context);
  if (!app.hasDecorator('createRateLimit')) await app.register(rateLimit, { global: false });
  testEventRoute(app, context);
}
