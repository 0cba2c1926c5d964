import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { ApiError } from '../errors/api-error.ts';

/** @returns the parameters of a path with one id */
export const idOf = (description: string) => Type.Object({ id: Type.String({ description }) });
export const storeParams = idOf('Identifier of the store.');
export const paymentParams = idOf('Identifier of the payment.');
export const deliveryParams = idOf('Identifier of the delivery.');
export const endpointParams = idOf('Identifier of the receiver.');
export type IdParams = { id: string };

/** Page settings of the admin lists, as the public list has them. */
export const pageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Which page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Entries per page.' }),
  ),
};

/**
 * @returns the id, if it can be one
 * @throws the given error otherwise: what can't be an id is not found
 */
export function idOr(notFound: () => ApiError, id: string): string {
  if (!isId(id)) throw notFound();
  return id;
}
