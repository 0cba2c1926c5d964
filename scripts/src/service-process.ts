import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { followLines } from './follow-file.ts';
import { root } from './repository.ts';
import { StartError } from './start-settings.ts';

export type ServiceProcess = {
  name: string;
  pid: number;
  /** Ends it in order; SIGKILL when it does not. */
  stop(): Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<Ended>;
};

/** How a process ended: a line that says how and why, and whether a signal ended it, at once or in order. */
export type Ended = { line: string; killed: boolean };

export type ServiceOptions = {
  /** For messages. */
  name: string;
  /** Its main module, from the workspace's top. */
  module: string;
  env: NodeJS.ProcessEnv;
  /** Answers 200 when it can work. */
  readyUrl: string;
  logFile: string;
  /** The log goes on, where it would begin anew. */
  appendLog?: boolean;
  onLogLine: (line: string) => void;
  /** Is told at once: it must be ended, whatever becomes of its start. */
  onSpawn: (service: ServiceProcess) => void;
};

const patienceMs = 40_000;
// A small heap: on a machine with much memory Node would let garbage lie for long.
const nodeOptions = ['--conditions=public-payments', '--max-semi-space-size=16', '--max-old-space-size=160'];

/**
 * Runs a service in a process group of its own (Ctrl-C is ours to pass on, in order) and waits until it is ready.
 * @throws StartError with its own last words when it ends instead
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  // The log is the service's own file: a pipe to us would break under it if we were killed.
  const log = openSync(options.logFile, options.appendLog ? 'a' : 'w');
  const child = spawn(process.execPath, [...nodeOptions, join(root, options.module)], {
    env: options.env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = untilEnded(child, options);
  const service = { name: options.name, pid: child.pid!, ended, stop: () => stop(child, ended) };
  options.onSpawn(service);
  const failed = ended.then(({ line }) => {
    throw new StartError(line);
  });
  await Promise.race([failed, answers(options.readyUrl, ended)]);
  failed.catch(() => {});
  return service;
}

/** Shows its log meanwhile. What it wrote outside of the log's form explains its end best. */
async function untilEnded(child: ChildProcess, { name, logFile, onLogLine }: ServiceOptions): Promise<Ended> {
  let lastWords = `its log is ${logFile}`;
  const stopFollowing = followLines(logFile, (line) => {
    const fatal = fatalMessage(line);
    if (fatal !== undefined) lastWords = fatal;
    else if (line.startsWith('{')) onLogLine(line);
    else if (!isTrace(line)) lastWords = line.trim();
  });
  const [code, signal] = await once(child, 'close');
  stopFollowing();
  const line = `${name} ended (${signal ?? `exit code ${code}`}): ${lastWords}`;
  return { line, killed: signal !== null || code === 0 };
}

/** What a service says of why it could not start. */
function fatalMessage(line: string): string | undefined {
  const [, msg] = /^\{"level":"fatal".*"msg":("(?:[^"\\]|\\.)*")\}$/.exec(line) ?? [];
  return msg === undefined ? undefined : JSON.parse(msg);
}

/** What surrounds the message when Node reports an error. */
function isTrace(line: string): boolean {
  return /^\s*$|^\s+at |^Node\.js v|^\s*[\^}]|^node:|^file:|Warning:|^\(Use `node/.test(line);
}

async function stop(child: ChildProcess, ended: Promise<unknown>) {
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(force);
}

async function answers(url: string, ended: Promise<unknown>) {
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
