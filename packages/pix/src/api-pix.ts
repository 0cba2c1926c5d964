import schemas from './api-pix/schemas.json' with { type: 'json' };

/**
 * JSON Schemas (draft 7) of what this project uses of the API Pix 2.9.0, by their names in the document, under
 * `definitions`. The document's defects are corrected; the README lists each.
 */
export const apiPixSchemas: { $id: string; definitions: object } = schemas;
