import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Report } from 'c8';
import { root } from './repository.ts';
import { readTestOptions } from './test-options.ts';

/**
 * `npm run coverage`: runs the quick tests, or those named, and prints for each package which share of its lines and
 * branches they ran. The report of each file is in .data/coverage/index.html. Processes that a test kills tell nothing.
 */
type Share = { total: number; covered: number };
type Summary = Record<string, { lines: Share; branches: Share }>;

const args = process.argv.slice(2);
const named = args.length > 0 ? args : ['--quick'];
const reportsDirectory = join(root, '.data/coverage');
refuseWrongArguments();
const tempDirectory = mkdtempSync(join(tmpdir(), 'payments-coverage-'));
try {
  const code = await runTests();
  await report();
  printPackages();
  process.exitCode = code ?? 1;
} finally {
  rmSync(tempDirectory, { recursive: true, force: true });
}

/** Without a test there is nothing to report. */
function refuseWrongArguments() {
  try {
    readTestOptions(named);
  } catch (error) {
    console.error(`tests did not run: ${(error as Error).message}`);
    process.exit(1);
  }
}

async function runTests(): Promise<number | null> {
  const program = join(root, 'scripts/src/test.ts');
  const child = spawn(process.execPath, ['--conditions=public-payments', program, ...named], {
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: tempDirectory },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'close');
  return code;
}

async function report() {
  rmSync(reportsDirectory, { recursive: true, force: true });
  const options = {
    tempDirectory,
    reportsDirectory,
    reporter: ['json-summary', 'html'],
    src: [root],
    include: ['packages/*/src/**', 'services/*/src/**', 'scripts/src/**'],
    exclude: [],
    extension: ['.ts'],
    // One process's coverage at a time is in memory.
    mergeAsync: true,
    resolve: '',
    omitRelative: true,
  };
  await new (Report as new (given: object) => { run(): Promise<void> })(options).run();
}

function printPackages() {
  const summary = JSON.parse(
    readFileSync(join(reportsDirectory, 'coverage-summary.json'), 'utf8'),
  ) as Summary;
  const packages = new Map<string, { lines: Share; branches: Share }>();
  for (const [file, { lines, branches }] of Object.entries(summary)) {
    if (file === 'total') continue;
    const [name = ''] = /^.*?(?=\/src\/)/.exec(relative(root, file)) ?? [];
    const sum = packages.get(name);
    packages.set(name, { lines: added(lines, sum?.lines), branches: added(branches, sum?.branches) });
  }
  console.log('\n  lines  branches');
  for (const [name, { lines, branches }] of [...packages].sort())
    console.log(`${percent(lines)}   ${percent(branches)}  ${name}`);
}

function added({ total, covered }: Share, to: Share = { total: 0, covered: 0 }): Share {
  return { total: to.total + total, covered: to.covered + covered };
}

function percent({ total, covered }: Share): string {
  return `${(total === 0 ? 100 : (100 * covered) / total).toFixed(1).padStart(5)} %`;
}
