import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';

/** The file of the typed client's generated types. */
export const clientTypesFile = 'packages/client/src/openapi.ts';

type Parameter = { name: string; in: string; description?: string; schema?: object };
type Document = {
  openapi: string;
  info: object;
  paths: Record<string, { get?: { operationId: string; parameters?: Parameter[] } }>;
  components: { schemas: Record<string, object> };
};

/**
 * @returns the types of an OpenAPI document's schemas, and of the queries of its lists, as TypeScript: what the client
 * names. The types of all responses would be three times as long
 */
export async function clientTypes(complete: object): Promise<string> {
  const { openapi, info, paths, components } = complete as Document;
  const queries = Object.values(paths).flatMap(({ get }) => (get ? queryOf(get) : []));
  const schemas = { ...components.schemas, ...Object.fromEntries(queries) };
  // A copy: the generator modifies its input.
  const document = structuredClone({ openapi, info, paths: {}, components: { schemas } });
  const types = await openapiTypes(document as never, {
    transform: (schema) => openList((schema as Listed)['x-extensible-enum']),
  });
  return `${COMMENT_HEADER}${astToString(types)}`;
}

/** @returns the query of a list as a schema: `listPaymentsQuery` */
function queryOf({ operationId, parameters = [] }: { operationId: string; parameters?: Parameter[] }) {
  const fields = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, description, schema }) => [name, { ...schema, description }]);
  if (fields.length === 0) return [];
  return [[`${operationId}Query`, { type: 'object', properties: Object.fromEntries(fields) }]];
}

type Listed = { 'x-extensible-enum'?: string[] };

/**
 * @returns the type of a list that may grow: its values, which editors offer, and any other text. A plain `string`
 * beside them would swallow them
 */
function openList(values: string[] | undefined): ts.TypeNode | undefined {
  if (!values) return undefined;
  const { factory } = ts;
  const literals = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)));
  const text = factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword);
  const other = factory.createIntersectionTypeNode([text, factory.createTypeLiteralNode([])]);
  return factory.createUnionTypeNode([...literals, other]);
}
