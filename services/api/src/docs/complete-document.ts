import { STATUS_CODES } from 'node:http';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Examples } from './answers.ts';

export type Document = Partial<OpenAPIV3_1.Document>;
type Operation = OpenAPIV3_1.OperationObject & { 'x-request-examples'?: Examples };
type Answer = OpenAPIV3_1.ResponseObject;
type Schema = OpenAPIV3_1.SchemaObject;

/** The headers that answers carry, whatever the route. */
const headers: Record<string, OpenAPIV3_1.HeaderObject> = {
  'X-Request-Id': {
    description: 'The request’s id in the logs: the one it was sent with, or a new one. Tell it to support.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
    example: '01937a3e-5b2c-7c41-9d6f-3a8e5b7c9d10',
  },
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
};
// Answered before there is a request to give an id to.
const withoutRequestId = ['408', '417', '431'];
const withRetryAfter = ['429', '503'];

/** Adds what routes can't say of themselves: headers of answers, examples of bodies, errors shared by operations. */
export function completeDocument(document: Document): Document {
  const operations = operationsOf(document);
  for (const operation of operations) {
    describeParameters(operation, document.components?.schemas ?? {});
    moveRequestExamples(operation);
    for (const [status, answer] of answersOf(operation)) addHeaders(status, answer);
  }
  document.components = { ...document.components, headers, responses: shareErrors(operations) };
  return document;
}

function operationsOf({ paths = {} }: Document): Operation[] {
  return Object.values(paths).flatMap((path) => Object.values(path ?? {}) as Operation[]);
}

function answersOf(operation: Operation): [string, Answer][] {
  return Object.entries(operation.responses ?? {}) as [string, Answer][];
}

/** A parameter that is a component has the component's description: beside a reference a schema can't have its own. */
function describeParameters({ parameters = [] }: Operation, schemas: Record<string, Schema>): void {
  for (const parameter of parameters) {
    if (!('schema' in parameter) || !parameter.schema || !('$ref' in parameter.schema)) continue;
    const description = schemas[parameter.schema.$ref.split('/').at(-1) ?? '']?.description;
    if (description) parameter.description ??= description;
  }
}

function moveRequestExamples(operation: Operation): void {
  const { 'x-request-examples': examples, requestBody } = operation;
  delete operation['x-request-examples'];
  if (!examples || !requestBody || !('content' in requestBody)) return;
  for (const media of Object.values(requestBody.content)) media.examples = examples;
}

function addHeaders(status: string, answer: Answer): void {
  const names = [
    ...(withoutRequestId.includes(status) ? [] : ['X-Request-Id']),
    ...(withRetryAfter.includes(status) ? ['Retry-After'] : []),
  ];
  if (names.length === 0) return;
  answer.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Errors that several operations answer in the very same way become components, named as HTTP names them. */
function shareErrors(operations: Operation[]): Record<string, Answer> {
  const shared: Record<string, Answer> = {};
  for (const status of Object.keys(STATUS_CODES).filter((code) => code >= '400')) {
    const telling = operations.filter(({ responses }) => responses?.[status]);
    const [first, ...others] = telling.map(({ responses }) => responses?.[status] as Answer);
    if (!first || others.length === 0 || others.some((other) => !isSame(first, other))) continue;
    const name = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');
    shared[name] = first;
    for (const { responses } of telling) {
      if (responses) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

function isSame(one: Answer, other: Answer): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
