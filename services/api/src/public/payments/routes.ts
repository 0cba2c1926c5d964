import type { FastifyInstance } from 'fastify';
import type { PublicContext } from '../../context.ts';
import { loadShedding } from '../../http/load-shedding.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { storeAuthentication } from '../store-authentication.ts';
import { createRoute } from './create.route.ts';
import { getRoute } from './get.route.ts';
import { listRoute } from './list.route.ts';

/** The public API. Every route needs a store's token. */
export async function paymentRoutes(
  app: FastifyInstance,
  { context }: { context: PublicContext },
): Promise<void> {
  // `new-payment.ts` and `list.route.ts` validate instead of the schemas.
  app.setValidatorCompiler(skipValidation.validatorCompiler);
  await app.register(loadShedding);
  await app.register(storeAuthentication, { context });
  createRoute(app, context);
  getRoute(app, context);
  listRoute(app, context);
}
