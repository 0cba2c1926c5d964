import type { Author } from '@payments/database/operations/changes';
import type { FastifyRequest } from 'fastify';

/** @returns who changes something in the panel: by the name given when signing in; recorded with the change */
export function authorOf(request: FastifyRequest, reason: string | null = null): Author {
  return { name: request.panelSession?.name ?? null, via: 'panel', reason, requestId: request.id };
}
