import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './repository.ts';

/** The file of the docs pages' script. */
export const docsScriptFile = 'services/api/docs/assets/docs.js';

/** @returns the docs pages' script with the libraries that it uses, as one file */
export async function docsScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'services/api/docs/page/main.js')],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}
