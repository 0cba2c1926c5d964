import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { installChromium } from '@payments/backing-services/chromium';
import { prepareTemplate } from '@payments/testing/database';
import { checks, report } from './checks.ts';
import { root } from './repository.ts';
import { type Counts, reportTap } from './tap-report.ts';
import { startTestServers } from './test-servers.ts';

/** `npm test`: lint, types, and every test against real PostgreSQL and NATS; `npm test -- <file> …`: these tests. */
const files = process.argv.slice(2);
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
let tap: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => tap?.kill(signal));

if (files.length === 0) for (const check of checks) count(await report(check));
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
  try {
    await prepareTemplate(servers.postgres);
    await runTap({ TEST_POSTGRES_URL: servers.postgres, TEST_NATS_URL: servers.nats });
  } finally {
    await servers.close();
  }
}

async function runTap(env: Record<string, string>) {
  tap = spawn(join(root, 'node_modules/.bin/tap'), ['run', '--reporter=tap', ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise<number | null>((resolve) => tap?.on('close', resolve));
  const counts = await reportTap(tap.stdout!, (line) => console.log(line));
  const ok = (await ended) === 0;
  total.passed += counts?.passed ?? 0;
  total.failed += counts?.failed ?? 0;
  total.skipped += counts?.skipped ?? 0;
  if (!counts?.passed) throw new Error('tap ran no test');
  if (!ok && counts.failed === 0) throw new Error('tap failed without a failed assertion');
}

function count(ok: boolean) {
  total[ok ? 'passed' : 'failed'] += 1;
}
