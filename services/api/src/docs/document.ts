import type { Examples } from '../http/answers.ts';
import type { Words } from './languages.ts';

/** A document and the words around it, both in one language. */
export type View = { document: OpenApiDocument; words: Words };

/** An OpenAPI 3.1 document: the parts that our routes fill and the reference shows. */
export type OpenApiDocument = {
  info: {
    title: string;
    description?: string;
    version: string;
    license?: { name: string; identifier?: string; url?: string };
  };
  servers?: { url: string; description?: string }[];
  tags?: { name: string; description?: string; 'x-displayName'?: string }[];
  paths: Record<string, PathItem>;
  webhooks?: Record<string, PathItem>;
  components?: Partial<Record<string, Record<string, unknown>>> & { schemas?: Record<string, Schema> };
};

export type PathItem = Record<string, Operation>;

/**
 * Extensions carry facts that a Fastify route schema can't express, until the document is complete:
 * `x-request-examples` has examples of the body; `x-optional-body` makes the body optional;
 * `x-limited` says that a store may send so many in a minute.
 */
export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body | Reference;
  responses: Record<string, Response | Reference>;
  callbacks?: Record<string, Record<string, PathItem>>;
  'x-request-examples'?: Examples;
  'x-optional-body'?: boolean;
  'x-limited'?: boolean;
};

export type Reference = { $ref: string };

export type Parameter = {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description?: string;
  schema?: Schema;
};

export type Body = { required?: boolean; description?: string; content: Record<string, MediaType> };

export type Response = {
  description?: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
};

export type Header = { description?: string; required?: boolean; schema?: Schema; example?: unknown };

export type MediaType = {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example | Reference>;
};

/** An example of a body; an error's tells its `Error-Code`, too. */
export type Example = { summary?: string; description?: string; value: unknown; 'x-error-code'?: string };

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  /** Values of a list that may grow. */
  'x-extensible-enum'?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
} & Record<string, unknown>;

/** @returns the target of a reference, or the value itself if it is not a reference */
export function resolve<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const path = value.$ref.replace(/^#\//, '').split('/');
  let found: unknown = document;
  for (const part of path) found = (found as Record<string, unknown>)[part];
  // Fields beside a `$ref`, such as a description, override the target's.
  return { ...resolve(document, found as T), ...value, $ref: undefined };
}

/** An operation with its path and method. */
export type Located = { method: string; path: string; operation: Operation; isWebhook: boolean };

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** @returns every operation of the document, webhooks last */
export function operationsOf({ paths, webhooks = {} }: OpenApiDocument): Located[] {
  return [...located(paths, false), ...located(webhooks, true)];
}

function located(items: Record<string, PathItem>, isWebhook: boolean): Located[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ method, path, operation, isWebhook })),
  );
}

/** @returns the named examples of a body */
export function examplesOf(document: OpenApiDocument, { schema, example, examples }: MediaType): Example[] {
  if (examples) return Object.values(examples).map((one) => resolve(document, one));
  if (example !== undefined) return [{ value: example }];
  return (schema ? (resolve(document, schema).examples ?? []) : []).map((value) => ({ value }));
}
