import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { eraseRoute } from './erase.route.ts';
import { exportRoute } from './export.route.ts';

/** What is known of a person, and its erasure (Contract: personal data). */
export async function personalDataRoutes(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  eraseRoute(app, context);
  exportRoute(app, context);
}
