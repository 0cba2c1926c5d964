import { exportRoute } from './export.route.ts';
import { getRoute } from './get.route.ts';
import { listRoute } from './list.route.ts';
import { redeliverRoute } from './redeliver.route.ts';
import { redeliverManyRoute } from './redeliver-many.route.ts';

/** Webhook deliveries. */
export const deliveryRoutes = [listRoute, exportRoute, getRoute, redeliverRoute, redeliverManyRoute];
