import { eraseRoute } from './erase.route.ts';
import { exportRoute } from './export.route.ts';

/** What is known of a person, and its erasure (Contract: personal data). */
export const personalDataRoutes = [eraseRoute, exportRoute];
