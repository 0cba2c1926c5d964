import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './options.ts';
import { release } from './release.ts';

/** `npm run release`: makes a version on this machine. It pushes nothing. */
const root = join(import.meta.dirname, '../../..');
try {
  const options = readOptions(process.argv.slice(2));
  const out = join(root, '.data/release', options.version);
  await release({ root, out, pnpm: ['npx', '--yes', pnpmOfImages()] }, options);
  console.log(`
made v${options.version} and ${out}

What needs a registry is yours to do:
  git push --follow-tags
  load each image archive, push it, and join the platforms of a program under one tag (manifest create, manifest push)
  name the pushed digests in your overlay`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

function pnpmOfImages(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'deploy/pnpm/package.json'), 'utf8'));
  return `pnpm@${optionalDependencies['@pnpm/exe.linux-x64']}`;
}
