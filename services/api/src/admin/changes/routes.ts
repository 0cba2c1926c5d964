import { listRoute } from './list.route.ts';
import { ofStoreRoute } from './of-store.route.ts';

/** The record of administrators' changes. */
export const changeRoutes = [listRoute, ofStoreRoute];
