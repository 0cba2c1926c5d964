import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../repository.ts';

export type BenchProcess = {
  name: string;
  pid: number;
  /** From its start until it said that it was ready. */
  readyMs: number;
  stop(): Promise<void>;
};

export type ProcessOptions = {
  name: string;
  /** Its main module, from the workspace's top; plain JavaScript. */
  module: string;
  env: Record<string, string>;
  nodeOptions?: string[];
  logFile: string;
  readyUrl: string;
};

/** How every side's heap is kept: as the README says, and grown alike. */
export const heapOptions = [
  '--max-semi-space-size=16',
  '--max-old-space-size=160',
  '--heap-growing-percent=60',
];

const patienceMs = 30_000;

/** Runs a program as it is deployed: plain Node, its log to a file. @throws its last words when it does not come up */
export async function startProcess(options: ProcessOptions): Promise<BenchProcess> {
  const log = openSync(options.logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...(options.nodeOptions ?? []), join(root, options.module)], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = once(child, 'close');
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!(await answers(options.readyUrl))) {
    if (over || performance.now() - startedAt > patienceMs) {
      child.kill('SIGKILL');
      throw new Error(`${options.name} did not come up: ${lastWords(options.logFile)}`);
    }
    await delay(5);
  }
  const readyMs = performance.now() - startedAt;
  return {
    name: options.name,
    pid: child.pid!,
    readyMs,
    stop: async () => {
      child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
      await ended;
      clearTimeout(force);
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/** @returns the end of a log */
export function lastWords(file: string): string {
  return readFileSync(file, 'utf8').trim().split('\n').slice(-8).join('\n');
}
