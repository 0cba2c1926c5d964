import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument, Operation, Reference } from '@payments/api/docs/document';
import { Ajv2020 } from 'ajv/dist/2020.js';
import validator from 'validator';
import { closed } from './closed-schemas.ts';

export type Listener = 'public' | 'admin';
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type FoundOperation = { operation: Operation; pointer: string };

export type CheckedDocument = {
  raw: OpenApiDocument;
  /** Finds a request's operation, with its place in the document. */
  find(method: string, path: string): FoundOperation | undefined;
  /** Resolves a `$ref`, with its place. */
  resolve<T extends object>(value: T | Reference, pointer: string): [T, string];
  /** @returns how a value fails the schema at a place of the document; empty if it is valid */
  failures(pointer: string, value: unknown): string[];
};

const files: Record<Listener, string> = { public: 'openapi.json', admin: 'openapi-admin.json' };
const loaded = new Map<Listener, CheckedDocument>();

/** @returns a listener's document from its file, whose objects allow only their named fields */
export function openApiDocument(listener: Listener): CheckedDocument {
  const document = loaded.get(listener) ?? load(listener);
  loaded.set(listener, document);
  return document;
}

function load(listener: Listener): CheckedDocument {
  const file = fileURLToPath(import.meta.resolve(`@payments/api/${files[listener]}`));
  const raw = JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false, formats });
  ajv.addSchema(raw, 'open');
  ajv.addSchema(closed(raw, 'open') as object, 'closed');
  return {
    raw,
    find: finder(raw),
    resolve: (value, pointer) =>
      '$ref' in value
        ? [at(raw, value.$ref.slice(1)) as Exclude<typeof value, Reference>, value.$ref.slice(1)]
        : [value as Exclude<typeof value, Reference>, pointer],
    failures: (pointer, value) => {
      const validate = ajv.getSchema(`closed#${encodeURI(pointer)}`);
      if (!validate) throw new Error(`no schema at ${pointer}`);
      return validate(value) ? [] : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message}`);
    },
  };
}

// The service's own formats: addresses as its validators accept them, with letters of all alphabets.
const formats = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  uri: URL.canParse,
  email: (value: string) => validator.isEmail(value),
};

/** @returns a step of a pointer (RFC 6901) */
export function step(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function at(document: object, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>(
    (node, name) => (node as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

function finder({ paths = {} }: OpenApiDocument): CheckedDocument['find'] {
  const templates = Object.keys(paths)
    // Sorts `/redeliver` before `/{id}`.
    .sort((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({ path, pattern: patternOf(path) }));
  return (method, path) => {
    const template = templates.find(({ pattern }) => pattern.test(path))?.path;
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase() as Method;
    const operation = template === undefined ? undefined : paths[template]?.[verb];
    return operation && { operation, pointer: `/paths${step(template ?? '')}${step(verb)}` };
  };
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{[^}]+\}/).map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('[^/]*')}$`);
}
