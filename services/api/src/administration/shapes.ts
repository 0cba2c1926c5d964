import { isId } from '@payments/domain/identifiers';
import { type SchemaOptions, type Static, type TSchema, Type } from '@sinclair/typebox';
import type { ApiError } from '../http/errors/api-error.ts';
import { mostPerPage } from '../http/readers.ts';

/** Field types of the admin API's schemas. */

type Described = Record<string, TSchema>;

const textOrNull = (description: string, keywords: SchemaOptions = {}) =>
  Type.Unsafe<string | null>({ ...keywords, type: ['string', 'null'], description });

export const Shape = {
  time: (description: string) => Type.String({ format: 'date-time', description }),
  timeOrNull: (description: string) =>
    Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description }),
  textOrNull,
  numberOrNull: (description: string) =>
    Type.Unsafe<number | null>({ type: ['number', 'null'], description }),
  integerOrNull: (description: string) =>
    Type.Unsafe<number | null>({ type: ['integer', 'null'], description }),
  id: (description: string) => Type.String({ format: 'uuid', description }),
  idOrNull: (description: string) => textOrNull(description, { format: 'uuid' }),
  oneOf: (values: readonly string[], description: string) => Type.String({ enum: [...values], description }),
  count: (description: string) => Type.Integer({ minimum: 0, description }),
  /** An optional body field. Null means absent, or removes a setting. */
  optional: <T extends TSchema>(schema: T, description: string) =>
    Type.Optional(Type.Union([schema, Type.Null()], { description })),
};

/** @returns a reference to a named schema, with its type */
export function refTo<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>(Type.Ref(schema.$id ?? ''));
}

/** @returns a page of a list */
export function pageOf(name: string, $id: string, description: string, more: Described = {}) {
  const fields = {
    items: Type.Array(Type.Ref(name), { description: 'Items of the page.' }),
    page: Type.Integer({ minimum: 1, description: 'Current page.' }),
    limit: Type.Integer({ minimum: 1, maximum: mostPerPage, description: 'Page size in effect.' }),
    total: Type.Integer({ minimum: 0, description: 'Number of items on all pages.' }),
    ...more,
  };
  return Type.Object(fields, { $id, description });
}

/** The field that says that a payment is a test store's (Contract: test stores). */
export const ofTest = {
  test: Type.Optional(
    Type.Literal(true, { description: 'There only if the store is a test store: its money is not real.' }),
  ),
};

/** @returns the same field; none for other stores' */
export const testIn = ({ test }: { test: boolean }) => (test ? { test } : {});

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
