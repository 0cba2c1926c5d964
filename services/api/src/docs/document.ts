import type { OpenAPIV3_1 } from 'openapi-types';
import type { Examples } from './answers.ts';

export type Document = Partial<OpenAPIV3_1.Document>;
export type Schema = OpenAPIV3_1.SchemaObject;
export type Answer = OpenAPIV3_1.ResponseObject;
/**
 * `x-request-examples`: examples of its body, `x-optional-body`: that it may be left out; a route's schema has no place
 * for them.
 */
export type Operation = OpenAPIV3_1.OperationObject & {
  'x-request-examples'?: Examples;
  'x-optional-body'?: boolean;
};

/** @returns every operation of the paths, with its method */
export function operationsOf({ paths = {} }: Document): [method: string, Operation][] {
  return Object.values(paths).flatMap((path) => Object.entries(path ?? {}) as [string, Operation][]);
}

/** @returns the answers of an operation, by status */
export function answersOf(operation: Operation): [status: string, Answer][] {
  return Object.entries(operation.responses ?? {}) as [string, Answer][];
}
