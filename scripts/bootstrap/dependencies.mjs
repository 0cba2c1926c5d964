import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alone } from './lock.mjs';
import { SetupError, step } from './progress.mjs';

const pnpm = '12.21.0';

/**
 * Installs the lockfile's packages if node_modules is missing, or belongs to another lockfile or manifest.
 * @param {string} root the workspace
 * @param {NodeJS.ProcessEnv} env with Node 24 first on PATH
 */
export async function installDependencies(root, env) {
  const stamp = join(root, 'node_modules', '.installed');
  const wanted = fingerprint(root);
  const current = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (current()) return;
  await alone(root, async () => {
    if (current()) return;
    await install(root, env);
    writeFileSync(stamp, wanted);
  });
}

async function install(root, env) {
  const why = existsSync(join(root, 'node_modules', '.modules.yaml'))
    ? 'have changed'
    : 'are not installed yet';
  const [command, ...before] = pnpmCommand(env);
  // The lockfile pins every package by its hash. Asking the registry for the age of each one would take longer than the
  // installation.
  const policy = ['--config.minimum-release-age=0', '--config.confirm-modules-purge=false'];
  const retries = ['--config.fetch-retry-mintimeout=1000', '--config.fetch-retry-maxtimeout=5000'];
  const args = [...before, 'install', '--frozen-lockfile', ...policy, ...retries];
  const options = { cwd: root, env: { ...env, CI: 'true' }, shell: process.platform === 'win32' };
  await step(`dependencies ${why}: pnpm install`, command, args, options).catch((error) => {
    if (!/OUTDATED_LOCKFILE/.test(error.message)) throw error;
    throw new SetupError('pnpm-lock.yaml does not match the package.json files: run pnpm install');
  });
}

/** @returns the pnpm on PATH if it has the lockfile's major version, else the pinned one through npx */
function pnpmCommand(env) {
  const { status, stdout } = spawnSync('pnpm', ['--version'], { env, encoding: 'utf8' });
  return status === 0 && stdout.split('.')[0] === pnpm.split('.')[0]
    ? ['pnpm']
    : ['npx', '--yes', `pnpm@${pnpm}`];
}

/** @returns a hash of everything that decides the content of node_modules */
function fingerprint(root) {
  const folders = ['services', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  const manifests = ['.', 'scripts', ...folders].map((folder) => join(folder, 'package.json'));
  const patches = readdirSync(join(root, 'patches')).map((name) => join('patches', name));
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...patches.sort(), ...manifests.sort()];
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files)
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
