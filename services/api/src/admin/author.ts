import type { Author } from '@payments/database/operations/changes';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { wrongField } from '../errors/condition.ts';
import { rules } from '../errors/field-rules.ts';
import { readText } from '../field-values.ts';
import { optional } from './shapes.ts';

const longestName = 100;

/** Why something is done, in a body: recorded with it. */
export const reasonField = optional(Type.String({ maxLength: 2_000 }), 'Why; recorded with the change.');
export const ReasonBody = Type.Object(
  { reason: reasonField },
  { $id: 'Reason', description: 'Why something is done.' },
);

/** Says who calls: administrators share one key. */
export const authorHeaders = Type.Object({
  'X-Actor': Type.Optional(
    Type.String({
      description: `Who does it, by their own account, at most ${longestName} characters; recorded.`,
    }),
  ),
});

/** For a route whose body is optional, which a schema of an object can't say. */
export async function optionalBody(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

/**
 * @returns who changes something through the API: what they call themselves, since the key does not tell, and why
 * @throws ApiError 400 for a name or reason that can't be recorded
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
