import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { root } from './repository.ts';

/** The file of the docs pages' script. */
export const docsScriptFile = 'services/api/docs/assets/docs.js';

/**
 * @returns the docs pages' script with the libraries that it uses, as one file. Their licences stand at its head: each
 *   asks to go along with what contains the library
 */
export async function docsScript(): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'services/api/docs/page/main.js')],
    bundle: true,
    write: false,
    metafile: true,
    outdir: root,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return `${notices(metafile)}${outputFiles[0]?.text ?? ''}`;
}

function notices({ outputs }: Metafile): string {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .flatMap(([path]) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const packages = [...new Set(folders)].map(notice).sort();
  return `/*!\nThis file contains:\n\n${packages.join('\n\n')}\n*/\n`;
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined)
    throw new Error(`${name} has no licence file, which the docs pages’ script would have to contain`);
  const text = readFileSync(join(root, folder, file), 'utf8')
    .trim()
    .replaceAll('*/', '* /');
  return `${name} ${version} (${license})\n\n${text}`;
}
