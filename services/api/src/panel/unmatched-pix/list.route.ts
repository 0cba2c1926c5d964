import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { notice } from '../page/notices.ts';
import { showUnmatchedPix } from './show-unmatched-pix.ts';

export function unmatchedPixList(app: FastifyInstance, context: ApiContext): void {
  type Query = { Querystring: { page?: unknown; done?: unknown } };
  app.get<Query>('/unmatched-pix', { config: { may: 'reconcile' } }, async (request, reply) =>
    showUnmatchedPix(context, request, reply, notice(request.query.done)),
  );
}
