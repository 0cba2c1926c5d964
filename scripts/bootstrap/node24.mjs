import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SetupError, step } from './progress.mjs';

const wanted = 24;
// The first release with Argon2, which hashes passwords.
const leastMinor = 7;

/**
 * Finds a Node that runs TypeScript: this one if it is new enough, else one from npm, in npm's cache.
 * @returns {Promise<string>} its path
 */
export async function node24() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > wanted || (major === wanted && minor >= leastMinor)) return process.execPath;
  const known = join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'public-payments',
    'node24-path',
  );
  const path = readIfThere(known);
  if (path && existsSync(path)) return path;
  return remember(known, await fetchNode());
}

async function fetchNode() {
  const what = `Node ${wanted}.${leastMinor} is needed and this is ${process.versions.node}: getting one with npx`;
  const args = [
    '--yes',
    `--package=node-${process.platform}-${process.arch}@${wanted}`,
    'node',
    '-p',
    'process.execPath',
  ];
  const path = (await step(what, 'npx', args, {})).trim();
  if (!existsSync(path)) throw new SetupError(`npx brought no Node ${wanted}: install one, then start again`);
  return path;
}

/** Without a place to remember it, npx runs again next time. */
function remember(file, path) {
  try {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, path);
  } catch {}
  return path;
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
