import type { Author } from '@payments/database/operations/changes';
import { withoutEmails } from '@payments/domain/personal-data';
import type { FastifyRequest } from 'fastify';
import { originOf } from './origin.ts';

export type Person = { id: string | null; name: string | null };

/** @returns the author of a change in the panel: who is signed in */
export function authorOf(request: FastifyRequest, reason: string | null = null): Author {
  return authorAs(request, request.actor, reason);
}

/** @returns the author of what a person does who is not signed in yet; no name if anybody may have done it */
export function authorAs(
  request: FastifyRequest,
  { id, name }: Person,
  reason: string | null = null,
): Author {
  return { name, id, via: 'panel', reason: reason && withoutEmails(reason), ...originOf(request) };
}
