import { changeRoute } from './change.route.ts';
import { createRoute } from './create.route.ts';
import { inviteRoute } from './invite.route.ts';
import { listRoute } from './list.route.ts';

/** People's accounts: made, listed, changed and invited. */
export const accountRoutes = [createRoute, listRoute, changeRoute, inviteRoute];
