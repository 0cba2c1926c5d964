import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './repository.ts';
import { StartError } from './start-settings.ts';

export type ServiceProcess = {
  name: string;
  pid: number;
  /** Ends it in order; SIGKILL when it does not. */
  stop(): Promise<void>;
  /** Resolves with a line that says how and why, when it has ended. */
  ended: Promise<string>;
};

export type ServiceOptions = {
  /** For messages and the log file's name. */
  name: string;
  /** Its main module, from the workspace's top. */
  module: string;
  env: NodeJS.ProcessEnv;
  /** Answers 200 when it can work. */
  readyUrl: string;
  logFile: string;
  onLogLine: (line: string) => void;
  /** Is told at once: it must be ended, whatever becomes of its start. */
  onSpawn: (service: ServiceProcess) => void;
};

const patienceMs = 40_000;

/**
 * Runs a service in a process group of its own (Ctrl-C is ours to pass on, in order) and waits until it is ready.
 * @throws StartError with its own last words when it ends instead
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--conditions=public-payments', join(root, options.module)], {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lastWords = keepLog(child, options);
  const ended = once(child, 'close').then(
    ([code, signal]) => `${options.name} ended (${signal ?? `exit code ${code}`}): ${lastWords()}`,
  );
  const service = { name: options.name, pid: child.pid!, ended, stop: () => stop(child, ended) };
  options.onSpawn(service);
  const failed = ended.then((line) => {
    throw new StartError(line);
  });
  await Promise.race([failed, answers(options.readyUrl, ended)]);
  failed.catch(() => {});
  return service;
}

/** All of its output goes to the log; what it said on standard error explains its end best. */
function keepLog(child: ChildProcess, options: ServiceOptions): () => string {
  const log = createWriteStream(options.logFile);
  let last = `its log is ${options.logFile}`;
  createInterface(child.stdout!).on('line', (line) => {
    log.write(`${line}\n`);
    options.onLogLine(line);
  });
  createInterface(child.stderr!).on('line', (line) => {
    log.write(`${line}\n`);
    if (/\S/.test(line) && !/^\s+at |^Node\.js v|^\s*[\^}]|^node:|ExperimentalWarning/.test(line))
      last = line.trim();
  });
  child.on('close', () => log.end());
  return () => last;
}

async function stop(child: ChildProcess, ended: Promise<string>) {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(force);
}

async function answers(url: string, ended: Promise<string>) {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await delay(50);
  }
}
