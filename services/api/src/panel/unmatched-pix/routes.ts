import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { unmatchedPixList } from './list.route.ts';
import { unmatchedPixRefund } from './refund.route.ts';

/** The page of unmatched Pix, and their refund. */
export async function unmatchedPixPages(
  app: FastifyInstance,
  { context }: { context: ApiContext },
): Promise<void> {
  unmatchedPixList(app, context);
  unmatchedPixRefund(app, context);
}
