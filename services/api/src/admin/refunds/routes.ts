import { createRoute } from './create.route.ts';
import { exportRoute } from './export.route.ts';
import { listRoute } from './list.route.ts';
import { refusedRoutes } from './refused.routes.ts';

/** Refunds: order, list, retry and withdraw. */
export const refundRoutes = [createRoute, listRoute, exportRoute, refusedRoutes];
