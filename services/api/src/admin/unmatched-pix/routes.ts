import { listRoute } from './list.route.ts';
import { refundRoute } from './refund.route.ts';

/** Unmatched Pix and their refund. */
export const unmatchedPixRoutes = [listRoute, refundRoute];
