import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { alone } from './lock.mjs';
import { SetupError, step } from './progress.mjs';

/** Packages that are large and for few commands: they are installed when a script is called that begins so. */
const apart = [
  { folder: 'packages/mutation-tester', scripts: 'scripts/src/mutants/' },
  {
    folder: 'packages/kubernetes-tools',
    scripts: ['scripts/src/test', 'scripts/src/coverage', 'scripts/src/chart'],
    only: 'linux-x64',
  },
];

/**
 * Installs the lockfile's packages if node_modules is missing, or belongs to another lockfile or manifest.
 * @param {string} root the workspace
 * @param {string} script the one that will run, as a path from the root
 * @param {NodeJS.ProcessEnv} env with Node 24 first on PATH
 */
export async function installDependencies(root, script, env) {
  const wanted = fingerprint(root);
  const others = apart.map(({ folder }) => `!./${folder}`);
  await bringUpToDate(root, { what: 'dependencies', stamp: '.installed', wanted, filters: others }, env);
  const machine = `${process.platform}-${process.arch}`;
  const needed = apart.filter(
    ({ scripts, only = machine }) =>
      only === machine && [scripts].flat().some((begin) => script.startsWith(begin)),
  );
  for (const { folder } of needed)
    await bringUpToDate(
      root,
      {
        what: `dependencies of ${folder}`,
        stamp: `.installed-${basename(folder)}`,
        wanted,
        filters: [`./${folder}`],
      },
      env,
    );
}

/** Installs the packages that pass pnpm's filters, unless the stamp says that they are there. */
async function bringUpToDate(root, { what, stamp, wanted, filters }, env) {
  const path = join(root, 'node_modules', stamp);
  const current = () => existsSync(path) && readFileSync(path, 'utf8') === wanted;
  if (current()) return;
  await alone(root, async () => {
    if (current()) return;
    await install(root, { what, isNew: !existsSync(path), filters }, env);
    writeFileSync(path, wanted);
  });
}

async function install(root, { what, isNew, filters }, env) {
  const why = isNew ? 'are not installed yet' : 'have changed';
  const [command, ...before] = pnpmCommand(root, env);
  // The lockfile pins every package by its hash. Asking the registry for the age of each one would take longer than the
  // installation.
  const policy = ['--config.minimum-release-age=0', '--config.confirm-modules-purge=false'];
  const retries = ['--config.fetch-retry-mintimeout=1000', '--config.fetch-retry-maxtimeout=5000'];
  const some = filters.map((filter) => `--filter=${filter}`);
  const args = [...before, 'install', '--frozen-lockfile', ...some, ...policy, ...retries];
  const options = { cwd: root, env: { ...env, CI: 'true' } };
  await step(`${what} ${why}: pnpm install`, command, args, options).catch((error) => {
    if (!/OUTDATED_LOCKFILE/.test(error.message)) throw error;
    throw new SetupError('pnpm-lock.yaml does not match the package.json files: run pnpm install');
  });
}

/** @returns the pnpm on PATH if it has the lockfile's major version, else package.json's one through npx */
function pnpmCommand(root, env) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [pinned] = packageManager.split('+');
  const { status, stdout } = spawnSync('pnpm', ['--version'], { env, encoding: 'utf8' });
  return status === 0 && `pnpm@${stdout.split('.')[0]}` === pinned.split('.')[0]
    ? ['pnpm']
    : ['npx', '--yes', pinned];
}

/** Where the workspace's patches of packages are. */
const patchesIn = join('packages', 'webhooks', 'patches');

/** @returns a hash of everything that decides the content of node_modules */
function fingerprint(root) {
  const folders = ['services', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  const manifests = ['.', 'scripts', ...folders].map((folder) => join(folder, 'package.json'));
  const patches = readdirSync(join(root, patchesIn)).map((name) => join(patchesIn, name));
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...patches.sort(), ...manifests.sort()];
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`);
  for (const file of files)
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}
