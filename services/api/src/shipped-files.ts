/**
 * Folders of files that ship beside the code: as far from `src/` as from `dist/`, where each built program is one of a
 * few files. So nothing below names them by itself.
 */
export const docsFolder = new URL('../docs/', import.meta.url);
export const panelAssets = new URL('../assets/', import.meta.url);
