import { deliveryActions } from './actions.ts';
import { endpointPages } from './endpoints.routes.ts';
import { deliveryExport, deliveryListPage } from './list.route.ts';

/** The pages of webhook deliveries and of failing receivers. */
export const deliveryPages = [deliveryListPage, deliveryExport, deliveryActions, endpointPages];
