import type { Author } from '@payments/database/operations/changes';
import type { FastifyRequest } from 'fastify';

/** @returns the author of a change in the panel, with the name from the sign-in */
export function authorOf(request: FastifyRequest, reason: string | null = null): Author {
  return { name: request.panelSession?.name ?? null, via: 'panel', reason, requestId: request.id };
}
