import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { BackingServiceError } from './backing-server.ts';
import { findExecutable } from './executable.ts';

let supported: boolean | undefined;

/**
 * @returns options of setpriv(1) with which the kernel sends `signal` to the program when this process ends; empty if
 * setpriv lacks them (only util-linux has them)
 */
export function dieWithParent(signal: NodeJS.Signals): string[] {
  supported ??=
    process.platform === 'linux' &&
    findExecutable('setpriv') !== undefined &&
    spawnSync('setpriv', ['--pdeathsig', 'TERM', 'true']).status === 0;
  return supported ? ['--pdeathsig', signal.replace('SIG', '')] : [];
}

export type ServerCommand = {
  /** For messages: `PostgreSQL`, `NATS`. */
  name: string;
  program: string;
  args: string[];
  /** The signal that the kernel sends the server if we die (Linux). */
  orphanSignal: NodeJS.Signals;
  /** The log line of a server that accepts connections. */
  ready: RegExp;
  /** Matches the line that explains a failed start. */
  failure: RegExp;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  /** Options of setpriv(1) for the program. */
  privileges?: string[];
  /** Receives everything that the server writes. */
  logFile?: string | undefined;
};

export type ServerProcess = {
  pid: number;
  /** Sends `signal`, and SIGKILL if the server still runs after `patienceMs`. */
  end(signal: NodeJS.Signals, patienceMs?: number): Promise<void>;
  /** Resolves when the process has ended, with how and the most telling log line. */
  exited: Promise<{ how: string; line: string }>;
};

/** A line that can't be written is left out: a full disk must end no server. */
function openLog(file: string | undefined) {
  if (file === undefined) return undefined;
  const log = openSync(file, 'a');
  return {
    write: (line: string) => {
      try {
        writeSync(log, `${line}\n`);
      } catch {
        // Its disk is full.
      }
    },
    close: () => closeSync(log),
  };
}

/**
 * Starts a server and waits until its log says that it is ready.
 * @throws BackingServiceError with the telling log line if it ends before that
 */
export async function startServerProcess(command: ServerCommand): Promise<ServerProcess> {
  const child = launch(command);
  const log = openLog(command.logFile);
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const output of [child.stdout!, child.stderr!]) {
    createInterface(output).on('line', (line) => {
      log?.write(line);
      lines.push(line);
      if (lines.length > 50) lines.shift();
      if (command.ready.test(line)) ready.resolve();
    });
  }
  const exited = once(child, 'close').then(
    ([code, signal]) => {
      log?.close();
      const line = lines.findLast((line) => command.failure.test(line)) ?? lines.at(-1) ?? 'it wrote nothing';
      return { how: signal ?? `exit code ${code}`, line };
    },
    (error: Error) => ({ how: 'not started', line: error.message }),
  );
  const failed = exited.then(({ line }) => {
    throw new BackingServiceError(`${command.name} did not start: ${line}`);
  });
  await Promise.race([ready.promise, failed]);
  failed.catch(() => {});
  return { pid: child.pid!, exited, end: (signal, patienceMs) => end(child, exited, signal, patienceMs) };
}

function launch(command: ServerCommand): ChildProcess {
  const { program, args, cwd, uid, gid } = command;
  const privileges = [...(command.privileges ?? []), ...dieWithParent(command.orphanSignal)];
  const [file, ...rest] =
    privileges.length > 0 ? ['setpriv', ...privileges, program, ...args] : [program, ...args];
  return spawn(file!, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: command.env ?? process.env,
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && command.privileges === undefined && { uid, gid }),
  });
}

async function end(
  child: ChildProcess,
  exited: Promise<unknown>,
  signal: NodeJS.Signals,
  patienceMs = 20_000,
) {
  child.kill(signal);
  const force = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(force);
}
