import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { ApiError } from '../errors/api-error.ts';

export const idParams = Type.Object({ id: Type.String() });
export type IdParams = { id: string };

/** Page settings of the admin lists, as the public list has them. */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
};

/**
 * @returns the id, if it can be one
 * @throws the given error otherwise: what can't be an id is not found
 */
export function idOr(notFound: () => ApiError, id: string): string {
  if (!isId(id)) throw notFound();
  return id;
}
