import { listRoute } from './list.route.ts';
import { releaseRoute } from './release.route.ts';

/** Failing receivers, and the release of one. */
export const endpointRoutes = [listRoute, releaseRoute];
