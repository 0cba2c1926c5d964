import { getRoute } from './get.route.ts';
import { rotateRoute } from './rotate.route.ts';

/** A store's webhook secret and its rotation (Contract: signature). */
export const webhookSecretRoutes = [getRoute, rotateRoute];
