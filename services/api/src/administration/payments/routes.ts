import { createRoute } from './create.route.ts';
import { exportRoute } from './export.route.ts';
import { getRoute } from './get.route.ts';
import { moveRoute } from './move.route.ts';
import { searchRoute } from './search.route.ts';

/** Payments of all stores, for administrators. */
export const adminPaymentRoutes = [createRoute, searchRoute, exportRoute, getRoute, moveRoute];
