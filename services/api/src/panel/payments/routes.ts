import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { paymentActions } from './actions.ts';
import { decideRoute } from './decide.route.ts';
import { paymentExport, paymentListPage } from './list.route.ts';
import { newPaymentPages } from './new-payment.routes.ts';
import { paymentPageRoutes } from './payment.routes.ts';
import { refundRoute } from './refund.route.ts';

/** The pages of payments: list, payment, decisions, refunds and creation. */
export async function paymentPages(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  paymentListPage(app, context);
  paymentExport(app, context);
  paymentPageRoutes(app, context);
  decideRoute(app, context);
  refundRoute(app, context);
  paymentActions(app, context);
  newPaymentPages(app, context);
}
