import type { Author } from '@payments/database/operations/changes';
import { withoutEmails } from '@payments/domain/personal-data';
import type { FastifyRequest } from 'fastify';

/** @returns the author of a change in the panel: who is signed in */
export function authorOf({ actor, id }: FastifyRequest, reason: string | null = null): Author {
  return {
    name: actor.name,
    id: actor.id,
    via: 'panel',
    reason: reason && withoutEmails(reason),
    requestId: id,
  };
}
