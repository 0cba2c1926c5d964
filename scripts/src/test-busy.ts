import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import { root } from './repository.ts';
import { readTestOptions } from './test-options.ts';

/**
 * `npm run test:busy`: shows that no verdict depends on the machine's speed. The quick tests run twice and the slow ones
 * once, beside as many busy loops as there are cores. The loops are threads of this process, so none outlives it, even
 * if it is killed.
 */
type Run = { name: string; args: string[] };
type Result = { line: string; ok: boolean };

const cores = availableParallelism();
let child: ReturnType<typeof spawn> | undefined;
const stop = () => {
  child?.kill('SIGTERM');
  process.exit(1);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// The process that started this one was killed.
process.on('disconnect', stop);

const args = process.argv.slice(2);
const runs = planned();
const loops = Array.from({ length: cores }, () => new Worker('for (;;);', { eval: true }));
const results: Result[] = [];
for (const { name, args } of runs) results.push(await run(name, args));
await Promise.all(loops.map((loop) => loop.terminate()));
console.log();
for (const { line } of results) console.log(line);
process.exit(results.every(({ ok }) => ok) ? 0 : 1);

function planned(): Run[] {
  try {
    return plan();
  } catch (error) {
    console.error(`tests did not run: ${(error as Error).message}`);
    return process.exit(1);
  }
}

/** @throws an error for an unknown option, or a path without tests */
function plan(): Run[] {
  const unknown = args.find((one) => one.startsWith('-') && one !== '--quick');
  if (unknown !== undefined) throw new Error(`Unknown option '${unknown}'`);
  const isWhole = args.every((one) => one.startsWith('-'));
  const isQuick = args.includes('--quick');
  const { quick, slow } = readTestOptions(isWhole ? [isQuick ? '--quick' : '--all'] : args);
  const twice = isWhole ? ['--quick'] : quick;
  const once = isWhole ? ['--slow'] : slow;
  return [
    ...(quick.length > 0
      ? [1, 2].map((turn) => ({ name: `quick tests, run ${turn} of 2`, args: twice }))
      : []),
    ...(slow.length > 0 ? [{ name: 'slow tests', args: once }] : []),
  ];
}

async function run(name: string, args: string[]): Promise<Result> {
  const from = Date.now();
  const started = spawn(
    process.execPath,
    ['--conditions=public-payments', join(root, 'scripts/src/test.ts'), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child = started;
  const exited = new Promise<number | null>((resolve) => started.on('close', resolve));
  let last = '';
  for await (const line of createInterface(started.stdout)) {
    console.log(line);
    if (line !== '') last = line;
  }
  const ok = (await exited) === 0;
  const seconds = Math.round((Date.now() - from) / 1_000);
  return { ok, line: `${ok ? '✓' : '✗'} ${name}, beside ${cores} busy loops: ${last}, ${seconds} s` };
}
