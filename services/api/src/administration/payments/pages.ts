import { decideRoute } from './decide-page.ts';
import { paymentExport, paymentListPage } from './list-page.ts';
import { newPaymentPages } from './new-payment-pages.ts';
import { paymentActions } from './payment-forms.ts';
import { paymentPageRoutes } from './payment-pages.ts';

/** The pages of payments: list, payment, decisions, refunds and creation. */
export const paymentPages = [
  paymentListPage,
  paymentExport,
  paymentPageRoutes,
  decideRoute,
  paymentActions,
  newPaymentPages,
];
