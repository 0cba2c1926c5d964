import { createRoute } from './create.route.ts';
import { deactivateRoute } from './deactivate.route.ts';
import { listRoute } from './list.route.ts';

/** A store's tokens. */
export const tokenRoutes = [createRoute, listRoute, deactivateRoute];
