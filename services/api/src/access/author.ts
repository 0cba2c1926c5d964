import type { Author } from '@payments/database/operations/changes';
import { withoutEmails } from '@payments/domain/personal-data';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { optional } from '../administration/shapes.ts';
import { readText } from '../http/field-values.ts';
import { originOf } from './origin.ts';

/** The reason for a change, in a request body. It is recorded with the change. */
export const reasonField = optional(Type.String({ maxLength: 2_000 }), 'Reason, recorded with the change.');
export const ReasonBody = Type.Object(
  { reason: reasonField },
  { $id: 'Reason', description: 'The reason for a change.' },
);

/** Makes a route's body optional, which an object schema cannot express. */
export async function optionalBody(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

/**
 * @returns the author of a change through the API: whose key it is, and the reason
 * @throws ApiError 400 for a reason that the database can't store
 */
export function authorOf(request: FastifyRequest, { reason }: { reason?: string | null } = {}): Author {
  const { id, name } = request.actor;
  const recorded = typeof reason === 'string' ? withoutEmails(readText('reason', reason)) : null;
  return { name, id, via: 'api', reason: recorded, ...originOf(request) };
}
