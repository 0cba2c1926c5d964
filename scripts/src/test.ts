import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { installChromium } from '@payments/backing-services/chromium';
import { prepareTemplate } from '@payments/testing/database';
import { checks, report } from './checks.ts';
import { root } from './repository.ts';
import type { Counts } from './tap-report.ts';
import { startTestPooler } from './test-pooler.ts';
import { runTestFiles } from './test-processes.ts';
import { startTestServers } from './test-servers.ts';

/**
 * `npm test`: lint, types, and every quick test against real PostgreSQL and NATS.
 * `npm test -- <file> …`: only these tests.
 * `npm run test:slow`: the slow tests.
 * `npm test -- --all`: everything, the slow ones last.
 * `npm run test:pgbouncer`: the quick tests of both services, or the named ones, through PgBouncer.
 */
const args = process.argv.slice(2);
const isAll = args.includes('--all');
const total: Counts = { passed: 0, failed: 0, skipped: 0 };

if (args.length === 0 || isAll) for (const check of checks) count(await report(check));
try {
  await runTests();
} catch (error) {
  console.error(`tests did not run: ${error instanceof Error ? error.message : String(error)}`);
  count(false);
}
console.log();
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;

async function runTests() {
  await installChromium(console.log);
  const servers = await startTestServers(process.env, console.log);
  console.log(servers.source);
  const env = { TEST_POSTGRES_URL: servers.postgres, TEST_NATS_URL: servers.nats };
  const [first = ''] = args;
  // A test file waits for two thirds of its time, so more of them than processors run at once. Slow tests use all
  // processors.
  const quickAtOnce = 2 * availableParallelism() + 1;
  try {
    await prepareTemplate(servers.postgres);
    if (first === '--pgbouncer') await runPooled(servers.postgres, { quickAtOnce, env });
    if (first !== '' && !first.startsWith('--')) await runFiles(args, quickAtOnce, env);
    if (first === '' || isAll) await runFiles(found('test.ts'), quickAtOnce, env);
    if (first === '--slow' || isAll) await runFiles(found('slow.ts'), 1, env);
  } finally {
    await servers.close();
  }
}

type Run = { quickAtOnce: number; env: Record<string, string> };

async function runPooled(postgres: string, { quickAtOnce, env }: Run) {
  const pooler = await startTestPooler(postgres);
  const [, ...named] = args;
  const ofServices = found('test.ts').filter((file) => file.startsWith('services/'));
  try {
    const files = named.length > 0 ? named : ofServices;
    await runFiles(files, quickAtOnce, { ...env, TEST_POSTGRES_POOLER: pooler.url });
  } finally {
    await pooler.close();
  }
}

/** @returns test files with this ending; those of the services come first, since they take longest */
function found(ending: string): string[] {
  const folders = ['services/dispatcher', 'services/api', 'packages/*', 'scripts'];
  return folders.flatMap((folder) => globSync(`${folder}/test/**/*.${ending}`, { cwd: root }).sort());
}

async function runFiles(files: string[], atOnce: number, servers: Record<string, string>) {
  // Tests start hundreds of processes of the same modules.
  const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'), ...servers };
  const counts = await runTestFiles(files, atOnce, { env, print: console.log });
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  if (counts.passed === 0) throw new Error('no test ran');
}

function count(ok: boolean) {
  total[ok ? 'passed' : 'failed'] += 1;
}
