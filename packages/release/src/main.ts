import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { licencesOf } from './licences.ts';
import { readOptions } from './options.ts';
import { gitIn, tagVersion } from './version.ts';

/**
 * `npm run release`: makes a version's commit and tag on this machine. It pushes nothing: the pushed tag starts the
 * workflow that builds, signs and publishes.
 */
const root = join(import.meta.dirname, '../../..');
try {
  const options = readOptions(process.argv.slice(2));
  if ('licences' in options)
    writeFileSync(options.licences, licencesOf(root, ['npx', '--yes', pinnedPnpm()]));
  else {
    tagVersion(gitIn(root), root, options.version, new Date().toISOString().slice(0, 10));
    console.log(`made v${options.version}; git push --follow-tags publishes it`);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

function pinnedPnpm(): string {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return packageManager.split('+')[0];
}
