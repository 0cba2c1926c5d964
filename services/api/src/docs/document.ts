import type { OpenAPIV3_1 } from 'openapi-types';
import type { Examples } from '../http/answers.ts';

export type Document = Partial<OpenAPIV3_1.Document>;
export type Schema = OpenAPIV3_1.SchemaObject;
export type Answer = OpenAPIV3_1.ResponseObject;
/**
 * Extensions for facts that a Fastify route schema can't express.
 * `x-request-examples` has examples of the body; `x-optional-body` makes the body optional;
 * `x-limited` says that a store may send so many in a minute.
 */
export type Operation = OpenAPIV3_1.OperationObject & {
  'x-request-examples'?: Examples;
  'x-optional-body'?: boolean;
  'x-limited'?: boolean;
};

/** @returns every operation with its method */
export function operationsOf({ paths = {} }: Document): [method: string, Operation][] {
  return Object.values(paths).flatMap((path) => Object.entries(path ?? {}) as [string, Operation][]);
}

/** @returns the responses of an operation, by status */
export function answersOf(operation: Operation): [status: string, Answer][] {
  return Object.entries(operation.responses ?? {}) as [string, Answer][];
}
