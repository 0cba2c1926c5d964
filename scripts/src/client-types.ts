import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';

/** The file of the typed client's generated types. */
export const clientTypesFile = 'packages/client/src/openapi.ts';

/** @returns the types of an OpenAPI document, as TypeScript */
export async function clientTypes(document: object): Promise<string> {
  // A copy: the generator modifies its input.
  const types = await openapiTypes(structuredClone(document) as never, {
    transform: (schema) => openList((schema as Listed)['x-extensible-enum']),
  });
  return `${COMMENT_HEADER}${astToString(types)}`;
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
