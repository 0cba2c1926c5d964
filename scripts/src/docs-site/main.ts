import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { docsSite } from './site.ts';

/** `npm run docs:site`: writes the docs as a folder that any host serves. */
const mark = 'llms.txt';

try {
  const options = { out: { type: 'string' }, service: { type: 'string' }, url: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  for (const name of ['service', 'url'] as const) assertAddress(name, values[name]);
  const folder = resolve(values.out ?? '.data/docs-site');
  const site = await docsSite(values);
  await empty(folder);
  for (const [file, content] of site) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  const bytes = [...site.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`wrote ${site.size} files, ${Math.round(bytes / 1_000)} kB, to ${folder}`);
} catch (error) {
  console.error(error instanceof Error ? error.message.split('. ')[0] : error);
  process.exitCode = 1;
}

function assertAddress(name: string, address: string | undefined): void {
  if (address !== undefined && !/^https?:\/\/[^\s?#]+$/.test(address))
    throw new Error(`--${name} must be an http or https address`);
}

/** Removes an earlier site, so that no page stays that there is no more; never a folder of something else. */
async function empty(folder: string): Promise<void> {
  if (existsSync(join(folder, mark))) await rm(folder, { recursive: true });
  else if (existsSync(folder)) throw new Error(`${folder} exists and is no earlier site`);
}
