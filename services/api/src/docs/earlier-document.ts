import { readFileSync } from 'node:fs';
import { earlierDocumentFile } from '../shipped-files.ts';

/**
 * Reads the stores' document in OpenAPI 3.0. `npm run openapi` converts it, so that the service needs no converter.
 * @returns the document without the service's address
 */
export function earlierDocument(): object {
  return JSON.parse(readFileSync(earlierDocumentFile, 'utf8')) as object;
}
