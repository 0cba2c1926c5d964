import { createRoute } from './create.route.ts';
import { exportRoute } from './export.route.ts';
import { listRoute } from './list.route.ts';
import { retryRoute } from './retry.route.ts';
import { withdrawRoute } from './withdraw.route.ts';

/** Refunds: order, list, retry and withdraw. */
export const refundRoutes = [createRoute, listRoute, exportRoute, retryRoute, withdrawRoute];
