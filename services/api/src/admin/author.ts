import type { Author } from '@payments/database/operations/changes';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';
import { readText } from '../field-values.ts';
import { optional } from './shapes.ts';

const longestName = 100;

/** The reason for a change, in a request body. It is recorded with the change. */
export const reasonField = optional(Type.String({ maxLength: 2_000 }), 'Reason, recorded with the change.');
export const ReasonBody = Type.Object(
  { reason: reasonField },
  { $id: 'Reason', description: 'The reason for a change.' },
);

/** The administrator's name: all administrators share one key. */
export const authorHeaders = Type.Object({
  'X-Actor': Type.Optional(
    Type.String({
      description: `Your name, at most ${longestName} characters. It is recorded with the change and not verified.`,
    }),
  ),
});

/** Makes a route's body optional, which an object schema cannot express. */
export async function optionalBody(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

/**
 * @returns the author of a change through the API: the given name and the reason
 * @throws ApiError 400 for a name or reason that the database can't store
 */
export function authorOf(request: FastifyRequest, { reason }: { reason?: string | null } = {}): Author {
  return {
    name: nameOf(request.headers['x-actor']),
    via: 'api',
    reason: typeof reason === 'string' ? readText('reason', reason) : null,
    requestId: request.id,
  };
}

function nameOf(header: string | string[] | undefined): string | null {
  const name = decoded(String(header ?? '')).trim();
  if (name.length > longestName) throw wrongField('x-actor', rules.shortEnough(longestName));
  return name === '' ? null : readText('x-actor', name);
}

/** Node reads a header as Latin-1; most clients send UTF-8. */
function decoded(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    return header;
  }
}
