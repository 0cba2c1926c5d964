import type { CheckedDocument } from '@payments/testing/openapi/document';
import fc, { type Arbitrary } from 'fast-check';
import type { Operation, Parameter, Schema } from '../../../src/docs/document.ts';
import { anyText, anything, headerText, type Resolve, spoiltValuesOf, valuesOf } from './values.ts';

export type GeneratedRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** True if the request is valid by the document; its ids may not exist. */
  isValid: boolean;
};

export type DocumentedOperation = {
  operation: Operation;
  method: string;
  path: string;
  pointer: string;
};

/** Values that the document can't know: credentials and existing ids. */
export type Known = { token: string; ids: string[] };

type Part<T> = { value: T; isValid: boolean };

/** @returns every operation of a document */
export function operationsOf({ raw }: CheckedDocument): DocumentedOperation[] {
  return Object.entries(raw.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item ?? {}).map(([method, operation]) => ({
      operation: operation as Operation,
      method: method.toUpperCase(),
      path,
      pointer: `/paths/${path.replaceAll('/', '~1')}/${method}`,
    })),
  );
}

/** @returns requests for an operation: valid, slightly invalid, and nonsense */
export function requestsOf(
  document: CheckedDocument,
  documented: DocumentedOperation,
  known: Known,
): Arbitrary<GeneratedRequest> {
  const { operation, method } = documented;
  const resolve: Resolve = (schema) => document.resolve<Schema>(schema, '')[0];
  const parameters = (operation.parameters ?? []) as Parameter[];
  const methods =
    method === 'GET' ? mostly(fc.constant('GET'), fc.constant('HEAD')) : valid(fc.constant(method));
  return fc
    .record({
      method: methods.map((part) => ({ ...part, isValid: true })),
      path: pathOf(documented.path, known.ids),
      query: queryOf(parameters, resolve),
      headers: headersOf(operation, parameters, known.token, resolve),
      body: bodyOf(operation, resolve),
    })
    .map(({ method: verb, path, query, headers, body }) => ({
      method: verb.value,
      path: path.value + (query.value === '' ? '' : `?${query.value}`),
      headers: headers.value,
      ...(body.value === undefined ? {} : { body: body.value }),
      isValid: [path, query, headers, body].every((part) => part.isValid),
    }));
}

function valid<T>(arbitrary: Arbitrary<T>): Arbitrary<Part<T>> {
  return arbitrary.map((value) => ({ value, isValid: true }));
}

function mostly<T>(good: Arbitrary<T>, bad: Arbitrary<T>): Arbitrary<Part<T>> {
  return fc.oneof(
    { weight: 6, arbitrary: valid(good) },
    { weight: 1, arbitrary: bad.map((value) => ({ value, isValid: false })) },
  );
}

// URL syntax characters in any order, which no encoder would produce.
const broken = fc.string({
  unit: fc.constantFrom('%', '/', '.', '0', 'f', 'Z', '?', '&', '=', '[', ']', ';'),
});
const encoded = anyText.map((given) => encodeURIComponent(given.toWellFormed()));
const weird = fc.oneof(encoded, broken, fc.constant('a'.repeat(3_000)));

function pathOf(template: string, ids: string[]): Arbitrary<Part<string>> {
  const names = template.match(/\{[^}]+\}/g) ?? [];
  if (names.length === 0) return valid(fc.constant(template));
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...ids) },
    { weight: 1, arbitrary: fc.uuid({ version: 7 }) },
  );
  return mostly(fc.tuple(...names.map(() => id)), fc.tuple(...names.map(() => weird))).map(
    ({ value, isValid }) => ({
      value: names.reduce((path, name, index) => path.replace(name, () => value[index] ?? ''), template),
      isValid,
    }),
  );
}

function queryOf(parameters: Parameter[], resolve: Resolve): Arbitrary<Part<string>> {
  const fields = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema = {} }) => [name, valuesOf(schema, resolve).map(String)] as const);
  const good = fc
    .record(Object.fromEntries(fields), { requiredKeys: [] })
    .map((query) => new URLSearchParams(query as Record<string, string>).toString());
  const spoilt = fc.oneof(
    broken,
    fc
      .array(fc.tuple(fc.constantFrom('x', ...fields.map(([name]) => name)), weird), { maxLength: 4 })
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  );
  return mostly(good, spoilt);
}

const contentTypes = fc.oneof(
  headerText,
  fc.constantFrom('application/json; charset=x', 'APPLICATION/JSON', 'application/jsonx', 'text/plain', ''),
);

const rarely = <T>(value: T) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constant(value) });

const oddHeaders = fc.record(
  {
    accept: headerText,
    'x-request-id': headerText,
    cookie: headerText,
    'x-http-method-override': fc.constant('DELETE'),
    'if-none-match': headerText,
    range: fc.constantFrom('bytes=0-1', 'pages=1'),
    'accept-encoding': fc.constantFrom('gzip', 'br;q=1.0', '*'),
  },
  { requiredKeys: [] },
);

function headersOf(
  { security = [], requestBody }: Operation,
  parameters: Parameter[],
  token: string,
  resolve: Resolve,
): Arbitrary<Part<Record<string, string>>> {
  const fields = parameters
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, schema = {} }) => [name.toLowerCase(), valuesOf(schema, resolve).map(String)] as const);
  const needed = {
    ...(security.length > 0 ? { authorization: `Bearer ${token}` } : {}),
    ...(requestBody ? { 'content-type': 'application/json' } : {}),
  };
  const good = fc
    .record(Object.fromEntries(fields), { requiredKeys: [] })
    .map((headers) => ({ ...headers, ...needed }));
  const spoilt = fc
    .tuple(
      good,
      oddHeaders,
      rarely({ expect: 'gold' }),
      fc.record(
        { authorization: headerText, 'content-type': contentTypes, 'idempotency-key': headerText },
        { requiredKeys: [] },
      ),
    )
    .map((parts) => Object.assign({}, ...parts) as Record<string, string>);
  return mostly(good, spoilt);
}

function bodyOf({ requestBody }: Operation, resolve: Resolve): Arbitrary<Part<string | undefined>> {
  const media = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  if (!media?.schema) return mostly(fc.constant(undefined), fc.oneof(anyText, fc.constant('{}')));
  const asJson = (value: unknown) => JSON.stringify(value) ?? '';
  const nonsense = fc.oneof(
    anyText,
    fc.json(),
    fc.json().map((json) => json.slice(0, -1)),
    anything.map(asJson),
    fc.constant(`{"x":"${'a'.repeat(66_000)}"}`),
  );
  return fc.oneof(
    { weight: 4, arbitrary: valid(valuesOf(media.schema, resolve).map(asJson)) },
    {
      weight: 3,
      arbitrary: spoiltValuesOf(media.schema, resolve).map((value) => ({
        value: asJson(value),
        isValid: false,
      })),
    },
    { weight: 1, arbitrary: nonsense.map((value) => ({ value, isValid: false })) },
  );
}
