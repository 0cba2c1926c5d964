import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './repository.ts';
import { type Counts, type Listener, reportTap } from './tap-report.ts';

type TestRun = Listener & {
  env: Record<string, string>;
  /** How long a process may take to end once it has told its counts. */
  patienceMs?: number;
};

const program = join(root, 'scripts/src/run-test-files.ts');
// A process of tests parses, makes and drops much: a larger place for what is new saves it a tenth of its time.
const largeYoungHeap = '--max-semi-space-size=32';
// With these background compilers of V8 a process may never end: `main` in `packages/runtime` says why.
const endsAlways = ['--no-maglev', '--no-concurrent-sparkplug'];
const flags = ['--conditions=public-payments', largeYoungHeap, ...endsAlways];
const running = new Set<ChildProcess>();
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopping = true;
    for (const child of running) child.kill(signal);
  });

/**
 * Runs test files in `atOnce` processes. Each process gets the next file when it has finished one, and ends with a file
 * that fails.
 * @returns the counts of assertions; a process that ends within a file, or can't start, counts as one that failed
 */
export async function runTestFiles(files: readonly string[], atOnce: number, run: TestRun): Promise<Counts> {
  const waiting = [...files];
  const counts: Counts[] = [];
  const work = async () => {
    while (waiting.length > 0 && !isStopping) counts.push(await runProcess(waiting, run));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, work));
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

async function runProcess(
  waiting: string[],
  { env, patienceMs = 60_000, ...listener }: TestRun,
): Promise<Counts> {
  const child = spawn(process.execPath, [...flags, program], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'test', ...env },
  });
  running.add(child);
  let file: string | undefined;
  let hasStarted = false;
  child.on('message', (message) => {
    // tap sends messages of its own.
    if (message !== 'next' && message !== 'failed') return;
    hasStarted = true;
    file = message === 'next' ? waiting.shift() : undefined;
    if (file === undefined) child.disconnect();
    else child.send(file);
  });
  const exited = once(child, 'exit');
  let isStuck = false;
  // Node may hang at the very end. Nothing that the tests said is lost then.
  const counted = () => {
    const timer = setTimeout(() => (isStuck = child.kill('SIGKILL')), patienceMs);
    child.once('exit', () => clearTimeout(timer));
  };
  const counts = await reportTap(child.stdout!, { ...listener, counted });
  const [code, signal] = await exited;
  running.delete(child);
  // Another process would not start either.
  if (!hasStarted) waiting.length = 0;
  const isWhole = code === 0 && hasStarted;
  const { passed = 0, failed = 0, skipped = 0 } = counts ?? {};
  if (isWhole || ((isStuck || failed > 0) && file === undefined)) return { passed, failed, skipped };
  const ended = `✗ ${file ?? 'a process of tests'} ended its process (${signal ?? `exit code ${code}`})`;
  listener.print(ended);
  listener.failed?.(ended);
  return { passed, failed: failed + 1, skipped };
}
