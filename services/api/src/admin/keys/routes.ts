import { createRoute } from './create.route.ts';
import { deleteRoute } from './delete.route.ts';
import { listRoute } from './list.route.ts';

/** Keys of programs: made, listed and deleted. */
export const keyRoutes = [createRoute, listRoute, deleteRoute];
