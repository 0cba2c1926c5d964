import { listRoute } from './list.route.ts';
import { pauseRoutes } from './pause.routes.ts';

/** The banks: their state, pause and resume. */
export const bankRoutes = [listRoute, pauseRoutes];
