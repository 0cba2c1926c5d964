import type { OpenAPIV3_1 } from 'openapi-types';
import {
  type Answer,
  answersOf,
  type Document,
  type Operation,
  operationsOf,
  type Schema,
} from './document.ts';
import { addServerErrors } from './server-errors.ts';
import { shareErrors } from './shared-errors.ts';

/** The headers of the responses of every route. */
const headers: Record<string, OpenAPIV3_1.HeaderObject> = {
  'X-Request-Id': {
    description: 'Id of the request in the logs: the request’s own id or a new one. Give it to support.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
    example: '01937a3e-5b2c-7c41-9d6f-3a8e5b7c9d10',
  },
  'Retry-After': {
    description: 'Seconds to wait before sending the request again.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Error-Code': {
    description: 'Name of the error for programs. It stays, while `message` may be worded anew.',
    required: true,
    schema: { type: 'string' },
    example: 'tokenSuperseded',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750), and `error` if a token was sent.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
  RateLimit: {
    description: 'Requests that the store has left in this minute, and the seconds until it begins anew.',
    required: false,
    schema: { type: 'string' },
    example: '"default";r=5999;t=60',
  },
  'RateLimit-Policy': {
    description: 'Requests that a store may send in a minute. Without a limit there is no such header.',
    required: false,
    schema: { type: 'string' },
    example: '"default";q=6000;w=60',
  },
};
// These come before the request has an id.
const withoutRequestId = ['408', '417', '431'];
const withRetryAfter = ['429', '503'];

/** Adds what all routes share: the server's errors, response headers, examples of bodies. */
export function completeDocument(document: Document): Document {
  const operations = operationsOf(document);
  for (const [method, operation] of operations) {
    addServerErrors(method, operation);
    describeParameters(operation, document.components?.schemas ?? {});
    moveRequestExamples(operation);
    makeBodyOptional(operation);
    const { 'x-limited': isLimited = false } = operation;
    delete operation['x-limited'];
    for (const [status, answer] of answersOf(operation)) addHeaders(status, answer, isLimited);
  }
  const responses = shareErrors(operations.map(([, operation]) => operation));
  document.components = { ...document.components, headers, responses };
  return document;
}

/** Copies a component's description to the parameter that refers to it. A `$ref` schema can't have its own. */
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

function makeBodyOptional(operation: Operation): void {
  const { 'x-optional-body': isOptional, requestBody } = operation;
  delete operation['x-optional-body'];
  if (isOptional && requestBody && 'content' in requestBody) requestBody.required = false;
}

function addHeaders(status: string, answer: Answer, isLimited: boolean): void {
  const names = [
    ...(withoutRequestId.includes(status) ? [] : ['X-Request-Id']),
    ...(withRetryAfter.includes(status) ? ['Retry-After'] : []),
    ...(status >= '400' ? ['Error-Code'] : []),
    ...(status === '401' ? ['WWW-Authenticate'] : []),
    ...(isLimited && ['200', '429'].includes(status) ? ['RateLimit', 'RateLimit-Policy'] : []),
  ];
  if (names.length === 0) return;
  answer.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
