import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { installChromium } from '@payments/local-servers/chromium';
import { prepareTemplate } from '@payments/testing/database';
import { checks, report } from './checks.ts';
import { root } from './repository.ts';
import type { Counts } from './tap-report.ts';
import { readTestOptions, type TestOptions } from './test-options.ts';
import { runTestFiles } from './test-processes.ts';
import { startTestPooler, startTestServers } from './test-servers.ts';

/**
 * `npm test`: lint, types, and every quick test against real PostgreSQL and NATS; `--help` says what else it does. It
 * ends with the ten slowest files, the failures once more, `N skipped` if any were, and `N passed, N failed`.
 */
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const seconds = new Map<string, number>();
const failures: string[] = [];

try {
  const options = readTestOptions(process.argv.slice(2));
  // Tests wait for a part of their time. The checks take what they leave of the processors.
  const checked = runChecks(options);
  await runTests(options).finally(() => checked);
} catch (error) {
  const failure = `tests did not run: ${error instanceof Error ? error.message : String(error)}`;
  console.error(failure);
  failures.push(failure);
  total.failed += 1;
}
console.log();
if (seconds.size > 1) {
  printSlowest();
  printFailures();
}
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runChecks({ checks: areWanted }: TestOptions) {
  if (!areWanted) return;
  for (const check of checks) {
    const ok = await report(check);
    total[ok ? 'passed' : 'failed'] += 1;
    if (!ok) failures.push(`✗ ${check.name}`);
  }
}

async function runTests({ quick, slow, pgbouncer, grep }: TestOptions) {
  if (slow.length > 0) await installChromium(console.log);
  const servers = await startTestServers(process.env, console.log);
  console.log(servers.source);
  // The first name that tap compares is the file's.
  const only = grep === undefined ? {} : { TAP_GREP: `.\n${grep.replace(/\W/g, '\\$&')}` };
  const env = { TEST_POSTGRES_URL: servers.postgres, TEST_NATS_URL: servers.nats, ...only };
  // A test file waits for two thirds of its time, so more of them than processors run at once. Slow tests use all
  // processors.
  const quickAtOnce = 2 * availableParallelism() + 2;
  try {
    await prepareTemplate(servers.postgres);
    const pooler = pgbouncer ? await startTestPooler(servers.postgres) : undefined;
    const pooled = pooler && { TEST_POSTGRES_POOLER: pooler.url };
    try {
      await runFiles(quick, quickAtOnce, { ...env, ...pooled });
      await runFiles(slow, 1, { ...env, ...pooled });
    } finally {
      await pooler?.close();
    }
  } finally {
    await servers.close();
  }
}

async function runFiles(files: string[], atOnce: number, servers: Record<string, string>) {
  if (files.length === 0) return;
  // Tests start hundreds of processes of the same modules. V8 counts less of what comes from a cache.
  const cache = process.env.NODE_V8_COVERAGE
    ? {}
    : { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') };
  const env = { ...cache, ...servers };
  const timed = (file: string, took: number) => void seconds.set(file, took);
  const failed = (failure: string) => void failures.push(failure);
  const counts = await runTestFiles(files, atOnce, { env, print: console.log, timed, failed });
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  if (counts.passed + counts.failed === 0) throw new Error('no test ran');
}

function printSlowest() {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 10);
  console.log(`slowest of ${seconds.size} files:`);
  for (const [file, took] of slowest) console.log(`${took.toFixed(1).padStart(7)} s  ${file}`);
  console.log();
}

/** Prints the first failures again: of a long log, often only the end is shown. */
function printFailures() {
  if (failures.length === 0) return;
  console.log('failed:');
  for (const failure of failures.slice(0, 20)) {
    const [title, ...details] = failure.trim().split('\n');
    console.log([`  ${title}`, ...details.slice(0, 30)].join('\n'));
  }
  console.log();
}
