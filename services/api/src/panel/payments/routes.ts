import { paymentActions } from './actions.ts';
import { decideRoute } from './decide.route.ts';
import { paymentExport, paymentListPage } from './list.route.ts';
import { newPaymentPages } from './new-payment.routes.ts';
import { paymentPageRoutes } from './payment.routes.ts';
import { refundRoute } from './refund.route.ts';

/** The pages of payments: list, payment, decisions, refunds and creation. */
export const paymentPages = [
  paymentListPage,
  paymentExport,
  paymentPageRoutes,
  decideRoute,
  refundRoute,
  paymentActions,
  newPaymentPages,
];
