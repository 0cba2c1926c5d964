import { createRoute } from './create.route.ts';
import { listRoutes } from './list.routes.ts';
import { refusedRoutes } from './refused.routes.ts';

/** Refunds: order, list, retry and withdraw. */
export const refundRoutes = [createRoute, listRoutes, refusedRoutes];
