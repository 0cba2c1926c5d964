import { type Direction, resolved, type Schema, schemaBreaks } from './schema-breaks.ts';

/**
 * Compares two OpenAPI documents by the promise of compatibility (`services/api/docs/compatibility.md`).
 *
 * It is our own since none on npm knows this promise: openapi-diff reads no OpenAPI 3.1, api-smart-diff takes another type
 * of a response's field for harmless, and neither compares webhooks, error codes or open lists of values.
 */
type Node = Record<string, unknown>;
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Content = Record<string, { schema?: Schema; examples?: Record<string, { 'x-error-code'?: string }> }>;
type Answer = { headers?: Record<string, unknown>; content?: Content };
type Operation = {
  parameters?: Node[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Node>;
  deprecated?: boolean;
  'x-sunset'?: string;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: unknown;
};

type Pair = { before: Document; after: Document };

/**
 * @param before the document of the last release
 * @param today `YYYY-MM-DD`: what was deprecated and whose `x-sunset` has come may go
 * @returns what breaks the promise, a line each
 */
export function breakingChanges(before: Document, after: Document, today: string): string[] {
  const pair = { before, after };
  return [
    ...ofOperations(pair, before.paths, after.paths, 'taken', today),
    ...ofOperations(pair, before.webhooks ?? {}, after.webhooks ?? {}, 'given', today),
  ];
}

/** @param direction whether bodies are what others send to us, or what we send to them */
function ofOperations(
  pair: Pair,
  before: Document['paths'],
  after: Document['paths'],
  direction: Direction,
  today: string,
): string[] {
  return Object.entries(before).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, old]) => {
      const name = direction === 'given' ? `webhook ${path}` : `${method.toUpperCase()} ${path}`;
      const now = after[path]?.[method];
      if (now) return ofOperation(pair, old, now, direction).map((change) => `${name}: ${change}`);
      const hasEnded = old.deprecated === true && (old['x-sunset'] ?? '9') <= today;
      return hasEnded ? [] : [`${name} is gone`];
    }),
  );
}

function ofOperation(pair: Pair, old: Operation, now: Operation, direction: Direction): string[] {
  return [
    ...(direction === 'taken' ? ofParameters(pair, old, now) : []),
    ...ofBody(pair, old, now, direction),
    // A webhook is answered by its receiver.
    ...(direction === 'taken' ? ofAnswers(pair, old, now) : []),
  ];
}

function ofParameters(pair: Pair, old: Operation, now: Operation): string[] {
  const read = (document: Document, { parameters = [] }: Operation) =>
    new Map(
      parameters
        .map((one) => resolved<Parameter>(document, one))
        .map((one) => [`${one.in} parameter ${one.name}`, one]),
    );
  const [before, after] = [read(pair.before, old), read(pair.after, now)];
  const changed = [...before].flatMap(([name, parameter]) => {
    const other = after.get(name);
    if (!other) return [`${name} is gone`];
    return schemaBreaks(pair, 'taken', name, parameter.schema ?? {}, other.schema ?? {});
  });
  const required = [...after].filter(([name, { required }]) => required && !before.get(name)?.required);
  return [...changed, ...required.map(([name]) => `${name} is required now`)];
}

function ofBody(pair: Pair, old: Operation, now: Operation, direction: Direction): string[] {
  const required = !old.requestBody?.required && now.requestBody?.required ? ['a body is required now'] : [];
  return [
    ...required,
    ...ofContent(pair, direction, 'body', old.requestBody?.content, now.requestBody?.content),
  ];
}

function ofAnswers(pair: Pair, old: Operation, now: Operation): string[] {
  const statuses = (responses: Operation['responses']) =>
    Object.keys(responses).filter((status) => status < '400');
  const gone = statuses(old.responses).filter((status) => !now.responses[status]);
  const fresh = statuses(now.responses).filter((status) => !old.responses[status]);
  const kept = statuses(old.responses).filter((status) => now.responses[status]);
  const codes = new Set(codesOf(pair.after, now));
  return [
    ...gone.map((status) => `${status} is gone`),
    ...fresh.map((status) => `${status} is another success`),
    ...kept.flatMap((status) => {
      const before = resolved<Answer>(pair.before, old.responses[status]);
      const after = resolved<Answer>(pair.after, now.responses[status]);
      const headers = Object.keys(before.headers ?? {}).filter((name) => !after.headers?.[name]);
      return [
        ...headers.map((name) => `${status}: header ${name} is gone`),
        ...ofContent(pair, 'given', status, before.content, after.content),
      ];
    }),
    ...codesOf(pair.before, old)
      .filter((code) => !codes.has(code))
      .map((code) => `error ${code} is gone`),
  ];
}

/** @returns each error of an operation as its status and code */
function codesOf(document: Document, { responses }: Operation): string[] {
  const found = Object.entries(responses).flatMap(([status, answer]) =>
    Object.values(resolved<Answer>(document, answer).content ?? {}).flatMap(({ examples = {} }) =>
      Object.values(examples).flatMap(({ 'x-error-code': code }) => (code ? [`${status} ${code}`] : [])),
    ),
  );
  return [...new Set(found)];
}

function ofContent(
  pair: Pair,
  direction: Direction,
  place: string,
  old: Content = {},
  now: Content = {},
): string[] {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    const other = now[type];
    if (!other) return [`${place}: ${type} is gone`];
    return schema ? schemaBreaks(pair, direction, place, schema, other.schema ?? {}) : [];
  });
}
