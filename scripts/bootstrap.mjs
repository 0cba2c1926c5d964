/**
 * Runs one of our scripts on a machine that may have only git, Node ≥ 20 and npm:
 *     node scripts/bootstrap.mjs scripts/src/start.ts [arguments]
 * It installs Node 24 and the dependencies if they are missing. It is plain JavaScript without dependencies, since it
 * runs before they exist.
 */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './bootstrap/dependencies.mjs';
import { helpFor, refuseArguments } from './bootstrap/help.mjs';
import { node24 } from './bootstrap/node24.mjs';
import { fail } from './bootstrap/progress.mjs';
import { runScript } from './bootstrap/run-script.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [script, ...given] = process.argv.slice(2);
const args = given.map((one) => (one === '-h' ? '--help' : one));
const path = join(root, script ?? '');

try {
  if (!script || !existsSync(path)) throw new Error(`no such script: ${script ?? ''}`);
  const help = helpFor(script, args);
  if (help) console.log(help);
  else {
    refuseArguments(script, args);
    await run();
  }
} catch (error) {
  fail(error);
}

async function run() {
  const node = await node24();
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  await installDependencies(root, script, env);
  runScript(node, path, args, env);
}
