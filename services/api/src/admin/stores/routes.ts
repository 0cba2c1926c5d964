import { changeRoute } from './change.route.ts';
import { createRoute } from './create.route.ts';
import { getRoute } from './get.route.ts';
import { listRoute } from './list.route.ts';

export const storeRoutes = [createRoute, listRoute, getRoute, changeRoute];
