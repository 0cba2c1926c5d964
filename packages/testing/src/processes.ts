import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { dieWithParent } from '@payments/local-servers/server-process';
import { assertDocumented, undocumentedMark } from './openapi/watch.ts';
import { patienceMs } from './patience.ts';

const watchProcess = new URL('./openapi/watch-process.ts', import.meta.url).href;

export type Ended = { code: number | null; signal: NodeJS.Signals | null };

export type TestProcess = {
  pid: number;
  /**
   * Resolves when `GET /health/ready` (or `readyPath`) on its PORT responds 200. Rejects with its output if it ended
   * before.
   */
  ready: Promise<void>;
  /** Its output so far, standard output and error mixed; empty with a `logFile`. */
  lines: string[];
  /** The first line, past or future, that matches. */
  waitForLine(pattern: RegExp): Promise<string>;
  /**
   * Sends a signal (SIGTERM) and resolves when the process has ended. Rejects if a response departed from the
   * documents.
   */
  kill(signal?: NodeJS.Signals): Promise<Ended>;
  exited: Promise<Ended>;
};

export type ProcessOptions = {
  /** The path that responds 200 when it is ready. */
  readyPath?: string;
  /** Arguments of Node itself. */
  nodeArgs?: string[];
  /** True if its responses are compared with the OpenAPI documents, in its own process. */
  watched?: boolean;
  /** Receives all its output. */
  logFile?: string;
};

/**
 * Runs a service's main module as a process.
 * @param module path of its main.ts (or of a built main.js)
 * @param env its whole environment, except PATH, HOME, and Node's compile cache and coverage; `PORT` is the port of `ready`
 * @param args its arguments
 */
export function startProcess(
  module: string,
  env: Record<string, string>,
  args: string[] = [],
  { readyPath = '/health/ready', nodeArgs = [], watched = true, logFile }: ProcessOptions = {},
): TestProcess {
  const output = logFile === undefined ? 'pipe' : openSync(logFile, 'a');
  const given = watched ? [...watching(module), ...nodeArgs] : nodeArgs;
  const child = launch(module, args, { env, nodeArgs: given, output });
  if (typeof output === 'number') closeSync(output);
  const lines: string[] = [];
  const arrivals = new EventEmitter<{ line: [string] }>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      arrivals.emit('line', line);
    });
  }
  const exited = once(child, 'close').then(([code, signal]): Ended => ({ code, signal }));
  const written = () =>
    logFile === undefined ? lines.join('\n') : readFileSync(logFile, 'utf8').slice(-2_000);
  const ready = untilReady(`http://127.0.0.1:${env.PORT}${readyPath}`, exited, written);
  ready.catch(() => {});
  return {
    pid: child.pid!,
    ready,
    lines,
    exited,
    kill: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const ended = await exited;
      assertDocumented(lines.filter((line) => line.startsWith(undocumentedMark)));
      return ended;
    },
    waitForLine: async (pattern) => {
      const signal = AbortSignal.timeout(patienceMs);
      // Several lines may come at once: this checks each of them.
      for (let seen = 0; ; seen += 1) {
        while (seen >= lines.length) await once(arrivals, 'line', { signal });
        const line = lines[seen]!;
        if (pattern.test(line)) return line;
      }
    },
  };
}

const apiModule = '/services/api/src/main.ts';

const watching = (module: string) => (module.endsWith(apiModule) ? [`--import=${watchProcess}`] : []);

type Launch = { env: Record<string, string>; nodeArgs: string[]; output: 'pipe' | number };

function launch(module: string, given: string[], { env, nodeArgs, output }: Launch) {
  const condition = module.endsWith('.ts') ? ['--conditions=public-payments'] : [];
  const command = [process.execPath, ...condition, ...nodeArgs, module, ...given];
  const orphan = dieWithParent('SIGKILL');
  const { PATH, HOME, NODE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env;
  const [file, ...rest] = orphan.length > 0 ? ['setpriv', ...orphan, ...command] : command;
  return spawn(file!, rest, {
    stdio: ['ignore', output, output],
    env: {
      PATH,
      HOME,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }),
      ...env,
    },
  });
}

async function untilReady(url: string, exited: Promise<Ended>, output: () => string) {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  while (!ended) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await delay(25);
  }
  throw new Error(`The process ended before it was ready:\n${output()}`);
}
