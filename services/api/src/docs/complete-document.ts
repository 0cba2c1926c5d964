import { STATUS_CODES } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { fastifyPlugin } from 'fastify-plugin';
import { descriptionOf, exampleOf } from '../http/answers.ts';
import { conditionOf, type ErrorName } from '../http/errors/errors.ts';
import { version } from '../settings.ts';
import {
  type Header,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Response,
  type Schema,
} from './document.ts';

/** @returns the headers of the responses of every route. @param codes the errors that the document has */
const headersOf = (codes: readonly string[]): Record<string, Header> => ({
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
    // An `enum` would make generated clients fail on an error with a new name.
    schema: { type: 'string', 'x-extensible-enum': [...codes] },
    example: 'tokenMissing',
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
});
// These come before the request has an id.
const withoutRequestId = ['408', '417', '431'];
const withRetryAfter = ['429', '503'];

/** Adds what all routes share: the server's errors, response headers, examples of bodies. */
export function completeDocument(document: OpenApiDocument, examples: BodyExamples = {}): OpenApiDocument {
  const operations = operationsOf(document).filter(({ isWebhook }) => !isWebhook);
  for (const { method, operation } of operations) {
    addServerErrors(method, operation);
    describeParameters(operation, document.components?.schemas ?? {});
    moveRequestExamples(operation);
    addExamples(operation, examples[operation.operationId ?? '']);
    makeBodyOptional(operation);
    const { 'x-limited': isLimited = false } = operation;
    delete operation['x-limited'];
    for (const [status, answer] of answersOf(operation)) addHeaders(status, answer, isLimited);
  }
  const headers = headersOf(codesOf(operations.map(({ operation }) => operation)));
  const responses = shareErrors(operations.map(({ operation }) => operation));
  // A listener without limits has no headers of limits.
  const written = JSON.stringify([document.paths, responses]);
  const used = Object.entries(headers).filter(([name]) => written.includes(`"#/components/headers/${name}"`));
  document.components = { ...document.components, headers: Object.fromEntries(used), responses };
  return spellNulls(document) as OpenApiDocument;
}

/**
 * Writes a choice between texts as an `enum`, and one between a type and null as a list of types, as everywhere else.
 * Only a reference needs `anyOf`. The routes keep the choices, which TypeBox can check.
 */
function spellNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(spellNulls);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, spellNulls(value)]));
  const { anyOf = [], ...rest } = copy as { anyOf?: Schema[] };
  if (anyOf.length > 0 && anyOf.every((one) => one.type === 'string' && one.enum))
    return { type: 'string', enum: anyOf.flatMap((one) => one.enum), ...rest };
  const [one, other] = anyOf;
  if (anyOf.length !== 2 || other?.type !== 'null' || typeof one?.type !== 'string') return copy;
  return { ...one, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }), ...rest };
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

/** Examples of the bodies that operations take and answer with success, by operation id. */
export type BodyExamples = Record<string, { request?: unknown; responses?: Record<string, unknown> }>;

function addExamples(operation: Operation, examples: BodyExamples[string] = {}): void {
  const { request, responses = {} } = examples;
  const { requestBody } = operation;
  const sent = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  if (sent && request !== undefined) sent.examples = { example: { value: request } };
  for (const [status, { content }] of answersOf(operation)) {
    const answered = content?.['application/json'];
    const named = Object.entries(responses).map(([name, value]) => [name, { value }]);
    if (answered && status < '300' && named.length > 0) answered.examples = Object.fromEntries(named);
  }
}

function makeBodyOptional(operation: Operation): void {
  const { 'x-optional-body': isOptional, requestBody } = operation;
  delete operation['x-optional-body'];
  if (isOptional && requestBody && 'content' in requestBody) requestBody.required = false;
}

function addHeaders(status: string, answer: Response, isLimited: boolean): void {
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

/** @returns the codes of all errors of operations, in alphabetical order */
function codesOf(operations: readonly Operation[]): string[] {
  const examples = operations.flatMap((operation) =>
    answersOf(operation).flatMap(([, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) => Object.values(examples)),
    ),
  );
  const codes = examples.flatMap((one) => ('x-error-code' in one ? (one['x-error-code'] ?? []) : []));
  return [...new Set(codes)].sort();
}

/** @returns the responses of an operation, by status; none is a reference before `shareErrors` */
function answersOf({ responses }: Operation): [status: string, Response][] {
  return Object.entries(responses ?? {}) as [string, Response][];
}

// Errors that any request can get, and errors that any request with a body can get.
const ofAnyRequest: ErrorName[] = [
  'malformedRequest',
  'requestTimeout',
  'expectationFailed',
  'headersTooLarge',
  'internal',
];
const ofAnyBody: ErrorName[] = ['invalidJson', 'bodyTooLarge', 'unsupportedMediaType', 'bodyCompressed'];

/** Adds the server's own errors, which no route declares, to an operation. */
function addServerErrors(method: string, operation: Operation): void {
  const names = method === 'get' ? ofAnyRequest : [...ofAnyBody, ...ofAnyRequest];
  for (const name of names) addError(operation, name);
}

function addError(operation: Operation, name: ErrorName): void {
  const { status, examples } = exampleOf(name, conditionOf(name));
  const responses = operation.responses ?? {};
  const answer = (responses[status] ?? { description: descriptionOf(status) }) as Response;
  const schema = { $ref: '#/components/schemas/Error' };
  const told = answer.content?.['application/json']?.examples;
  answer.content = { 'application/json': { schema, examples: { ...told, ...examples } } };
  operation.responses = { ...responses, [status]: answer };
}

/**
 * Moves errors that are the same in all operations to components, and makes the operations refer to them.
 * @returns the components, named after their HTTP status
 */
function shareErrors(operations: Operation[]): Record<string, Response> {
  const shared: Record<string, Response> = {};
  for (const status of Object.keys(STATUS_CODES).filter((code) => code >= '400')) {
    const telling = operations.filter(({ responses }) => responses?.[status]);
    const [first, ...others] = telling.map(({ responses }) => responses?.[status] as Response);
    if (!first || others.length === 0 || !others.every((other) => isDeepStrictEqual(first, other))) continue;
    const name = (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');
    shared[name] = first;
    for (const { responses } of telling) {
      if (responses) responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return shared;
}

/** The parts of a listener's document that do not come from its routes. */
export type DocsOptions = Pick<OpenApiDocument, 'servers' | 'tags' | 'webhooks'> & {
  title: string;
  description: string;
  bearer: { description: string; format?: string };
  examples?: BodyExamples;
};

/** Generates a listener's OpenAPI document from its routes. `pages.ts` shows it. */
export const docs = fastifyPlugin(
  async (app, { title, description, bearer, examples, ...rest }: DocsOptions) => {
    const scheme = { type: 'http' as const, scheme: 'bearer', description: bearer.description };
    const options: FastifyDynamicSwaggerOptions = {
      openapi: {
        openapi: '3.1.0',
        info: {
          title,
          description,
          version,
          contact: { name: 'Support of the platform that runs this service' },
          license: { name: 'MIT', identifier: 'MIT' },
        },
        ...rest,
        components: {
          securitySchemes: {
            bearer: { ...scheme, ...(bearer.format === undefined ? {} : { bearerFormat: bearer.format }) },
          },
        },
      },
      // A PUBLIC_URL with a path must not shorten our routes' paths.
      stripBasePath: false,
      // The default names components def-0, def-1, ….
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          (json.$id as string | undefined) ?? `Schema${index}`,
      },
      transformObject: (given) =>
        'openapiObject' in given
          ? completeDocument(given.openapiObject as OpenApiDocument, examples)
          : given.swaggerObject,
    };
    await app.register(swagger, options);
  },
  { name: 'docs' },
);
