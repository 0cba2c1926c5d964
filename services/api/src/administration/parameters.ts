import { isId } from '@payments/domain/identifiers';
import { Type } from '@sinclair/typebox';
import type { ApiError } from '../http/errors/api-error.ts';

/** @returns the parameters of a path with an `id` */
export const idOf = (description: string) => Type.Object({ id: Type.String({ description }) });
/** The query parameter of lists and sums that shows test stores (Contract: test stores). */
export const kindQuery = {
  test: Type.Optional(
    Type.Boolean({
      description:
        '`true` for test stores alone. Without it nothing of them is shown, but to their own people and keys.',
    }),
  ),
};

export const storeParams = idOf('Identifier of the store.');
export const bankParams = idOf('Identifier of the bank.');
export const paymentParams = idOf('Identifier of the payment.');
export const deliveryParams = idOf('Identifier of the delivery.');
export const endpointParams = idOf('Identifier of the receiver.');

/**
 * @returns the id if it is a UUID
 * @throws the given not-found error otherwise
 */
export function idOr(notFound: () => ApiError, id: string): string {
  if (!isId(id)) throw notFound();
  return id;
}
