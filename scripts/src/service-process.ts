import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { followLines } from './follow-file.ts';
import { root } from './repository.ts';
import { StartError } from './start-error.ts';

export type ServiceProcess = {
  name: string;
  pid: number;
  /** Ends it in order, and with SIGKILL if that fails. */
  stop(): Promise<void>;
  /** Resolves when it has ended. */
  ended: Promise<Ended>;
};

/** How a process ended: a line with the reason, and whether a signal ended it. */
export type Ended = { line: string; killed: boolean };

export type ServiceOptions = {
  /** For messages. */
  name: string;
  /** Its main module, relative to the workspace. */
  module: string;
  env: NodeJS.ProcessEnv;
  /** The URL that responds 200 when it can work. */
  readyUrl: string;
  logFile: string;
  /** Appends to its log instead of replacing it. */
  appendLog?: boolean;
  onLogLine: (line: string) => void;
  /** Called at once: the process must be ended whatever the result of its start. */
  onSpawn: (service: ServiceProcess) => void;
};

const patienceMs = 40_000;
// A small heap: with much memory, Node would collect garbage late.
const nodeOptions = ['--conditions=public-payments', '--max-semi-space-size=16', '--max-old-space-size=160'];

/**
 * Runs a service in its own process group, since we pass on Ctrl-C in order, and waits until it is ready.
 * @throws StartError with its last line if it ends instead
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  // The service writes its own log file: a pipe would break if we were killed.
  const log = openSync(options.logFile, options.appendLog ? 'a' : 'w');
  const { size: logged } = fstatSync(log);
  const child = spawn(process.execPath, [...nodeOptions, join(root, options.module)], {
    env: options.env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = untilEnded(child, options, logged);
  const service = { name: options.name, pid: child.pid!, ended, stop: () => stop(child, ended) };
  options.onSpawn(service);
  const failed = ended.then(({ line }) => {
    throw new StartError(line);
  });
  await Promise.race([failed, answers(options.readyUrl, ended)]);
  failed.catch(() => {});
  return service;
}

/**
 * Shows its log until it ends. Output that is not in the log's form explains an end best.
 * @param logged the bytes of the log that are an earlier process's
 */
async function untilEnded(
  child: ChildProcess,
  { name, logFile, onLogLine }: ServiceOptions,
  logged: number,
): Promise<Ended> {
  let lastWords = `its log is ${logFile}`;
  const show = (line: string) => {
    const fatal = fatalMessage(line);
    if (fatal !== undefined) lastWords = fatal;
    else if (line.startsWith('{')) onLogLine(line);
    else if (!isTrace(line)) lastWords = line.trim();
  };
  const stopFollowing = followLines(logFile, show, logged);
  const [code, signal] = await once(child, 'close');
  stopFollowing();
  const line = `${name} ended (${signal ?? `exit code ${code}`}): ${lastWords}`;
  return { line, killed: signal !== null || code === 0 };
}

/** @returns a service's reason for a failed start */
function fatalMessage(line: string): string | undefined {
  const [, msg] = /^\{"level":"fatal".*"msg":("(?:[^"\\]|\\.)*")\}$/.exec(line) ?? [];
  return msg === undefined ? undefined : JSON.parse(msg);
}

/** @returns whether a line only surrounds the message of Node's error report */
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
