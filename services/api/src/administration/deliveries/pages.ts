import { endpointPages } from './endpoint-pages.ts';
import { deliveryExport, deliveryListPage } from './list-page.ts';
import { deliveryActions } from './redeliver-page.ts';

/** The pages of webhook deliveries and of failing receivers. */
export const deliveryPages = [deliveryListPage, deliveryExport, deliveryActions, endpointPages];
