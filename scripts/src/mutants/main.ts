import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareTemplate } from '@payments/testing/database';
import { root } from '../repository.ts';
import { startTestServers } from '../test-servers.ts';
import { chosen, type Target } from './targets.ts';

/**
 * `npm run mutants`: Stryker changes the sources one place at a time, and names each change that no test notices. It
 * ends with a line for each package; its report is .data/mutants/<package>.html.
 */
const options = { concurrency: { type: 'string', default: '1' } } as const;
const { values, positionals } = read();
const reports = join(root, '.data/mutants');
const stryker = join(root, 'packages/mutation-tester/node_modules/@stryker-mutator/core/bin/stryker.js');

const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Mutant = { status: string };
type Report = { files: Record<string, { mutants: Mutant[] }> };

try {
  const targets = chosen(positionals);
  mkdirSync(reports, { recursive: true });
  const servers = targets.some(({ needsPostgres }) => needsPostgres)
    ? await startTestServers(process.env, console.log)
    : undefined;
  try {
    if (servers) await prepareTemplate(servers.postgres);
    const env = servers ? { TEST_POSTGRES_URL: servers.postgres, TEST_NATS_URL: servers.nats } : {};
    const lines = [];
    for (const target of targets) lines.push(await runStryker(target, env));
    console.log(['', ...lines].join('\n'));
  } finally {
    await servers?.close();
  }
} catch (error) {
  console.error(`mutants: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function read() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`mutants: ${(error as Error).message}`);
    return process.exit(1);
  }
}

/** @returns how many of a package's changes the tests noticed */
async function runStryker(target: Target, env: Record<string, string>): Promise<string> {
  const name = basename(target.folder);
  const started = Date.now();
  const settings = join(reports, `${name}.settings.json`);
  writeFileSync(settings, JSON.stringify(settingsOf(target, name), null, 2));
  const child = spawn(process.execPath, [stryker, 'run', settings], {
    cwd: join(root, target.folder),
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'test', ...env },
    detached: true,
  });
  // With its processes: one whose change never ends hears no signal.
  const stop = () => process.kill(-child.pid!, 'SIGKILL');
  for (const signal of stops) process.once(signal, stop);
  const [code] = await once(child, 'close');
  for (const signal of stops) process.off(signal, stop);
  rmSync(sourcesOf(name), { recursive: true, force: true });
  if (code !== 0)
    throw new Error(`Stryker ${code === null ? 'was stopped' : `ended with ${code}`} in ${target.folder}`);
  const minutes = (Date.now() - started) / 60_000;
  return `${score(name)}, in ${minutes.toFixed(1)} minutes`;
}

/** Stryker's settings: https://stryker-mutator.io/docs/stryker-js/configuration */
function settingsOf(target: Target, name: string) {
  return {
    mutate: target.sources,
    mutants: target,
    testRunner: 'test-files',
    plugins: [join(import.meta.dirname, 'plugin.ts')],
    testRunnerNodeArgs: ['--conditions=public-payments'],
    // The modules keep their places, so no other file is copied.
    ignorePatterns: ['**', '!src/**'],
    symlinkNodeModules: false,
    tempDirName: sourcesOf(name),
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    allowConsoleColors: false,
    clearTextReporter: { allowEmojis: false, reportTests: false, logTests: false },
    htmlReporter: { fileName: join(reports, `${name}.html`) },
    jsonReporter: { fileName: join(reports, `${name}.json`) },
    // Each change loads the sources anew, and Node keeps them: with PostgreSQL, all packages.
    maxTestRunnerReuse: target.needsPostgres ? 20 : 200,
    concurrency: Number(values.concurrency),
    // A loop ends by its count. The time only ends what waits for ever, and a slow machine is no reason.
    timeoutMS: 20_000,
  };
}

/** @returns the folder of the changed sources, while they are tested */
function sourcesOf(name: string): string {
  return join(reports, `${name}.sources`);
}

function score(name: string): string {
  const { files } = JSON.parse(readFileSync(join(reports, `${name}.json`), 'utf8')) as Report;
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const of = (...states: string[]) => mutants.filter(({ status }) => states.includes(status)).length;
  const [killed, total] = [of('Killed', 'Timeout'), of('Killed', 'Timeout', 'Survived', 'NoCoverage')];
  return `${name}: ${killed} of ${total} changes noticed (${((100 * killed) / total).toFixed(1)} %)`;
}
