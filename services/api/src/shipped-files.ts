/**
 * Folders of files that ship beside the code. Their paths are relative to this file, which is as deep in `src/` as
 * the built program is in `dist/`. Code in subfolders must take the paths from here.
 */
export const docsFolder = new URL('../docs/', import.meta.url);
export const earlierDocumentFile = new URL('../openapi-3.0.json', import.meta.url);
export const postmanFile = new URL('../postman.json', import.meta.url);
/** Assets of the panel and the payer’s page. */
export const pageAssets = new URL('../assets/', import.meta.url);
