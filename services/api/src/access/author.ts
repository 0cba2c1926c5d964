import type { Author } from '@payments/database/record/changes';
import { withoutEmails } from '@payments/domain/personal-data';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { optional } from '../administration/shapes.ts';
import { readText } from '../http/readers.ts';
import { originOf } from './actor.ts';

/** The author of a change, and the reason that is recorded with it. */

/** The reason for a change, in a request body. */
export const reasonField = optional(Type.String({ maxLength: 2_000 }), 'Reason, recorded with the change.');
export const ReasonBody = Type.Object(
  { reason: reasonField },
  { $id: 'Reason', description: 'The reason for a change.' },
);

/** Makes a route's body optional, which an object schema cannot express. */
export async function optionalBody(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

type Reason = { reason?: string | null | undefined };

/**
 * @returns the author of a change: whose key or session it is, through which face, and the reason
 * @throws ApiError 400 for a reason that the database can't store
 */
export function authorOf(request: FastifyRequest, { reason }: Reason = {}): Author {
  return authorAs(request, request.actor, typeof reason === 'string' ? readText('reason', reason) : null);
}

export type Person = { id: string | null; name: string | null };

/** @returns the author of what a person does who is not signed in yet; no name if anybody may have done it */
export function authorAs(
  request: FastifyRequest,
  { id, name }: Person,
  reason: string | null = null,
): Author {
  const recorded = reason === null ? null : withoutEmails(reason);
  return { name, id, via: request.via, reason: recorded, ...originOf(request) };
}
