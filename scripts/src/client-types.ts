import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** Where the typed client keeps what is written here, from the workspace's top. */
export const clientTypesFile = 'packages/client/src/openapi.ts';

/** @returns the types of an OpenAPI document, as TypeScript */
export async function clientTypes(document: object): Promise<string> {
  // A copy: the writer adds to what it is given.
  const types = await openapiTypes(structuredClone(document) as never);
  return `${COMMENT_HEADER}${astToString(types)}`;
}
