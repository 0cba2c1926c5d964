import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** The file of the typed client's generated types. */
export const clientTypesFile = 'packages/client/src/openapi.ts';

/** @returns the types of an OpenAPI document, as TypeScript */
export async function clientTypes(document: object): Promise<string> {
  // A copy: the generator modifies its input.
  const types = await openapiTypes(structuredClone(document) as never);
  return `${COMMENT_HEADER}${astToString(types)}`;
}
