import { freePort } from '@payments/local-servers/free-port';
import { type Ended, startProcess, type TestProcess } from './processes.ts';

/** A process on a port that it keeps over restarts. */
export type Replica = {
  name: string;
  port: number;
  pid(): number;
  isRunning(): boolean;
  /**
   * Resolves when it is ready.
   * @param env settings of this start alone
   */
  start(env?: Record<string, string>): Promise<void>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<Ended>;
  /** Sends SIGTERM: the process finishes what is in flight. */
  terminate(): Promise<Ended>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** Its output over all its starts. */
  lines(): string[];
};

export type ReplicaOptions = {
  name: string;
  /** The path of its main module. */
  module: string;
  env: Record<string, string>;
  port?: number;
  /** The path that responds 200 when it can serve. */
  readyPath?: string;
  nodeArgs?: string[];
  /** True if its responses are compared with the OpenAPI documents. */
  watched?: boolean;
  /** Receives all its output. */
  logFile?: string;
  /** Called when it ends by itself. */
  onCrash?: (line: string) => void;
};

/** The README's flags for both services. */
export const heapFlags = ['--max-semi-space-size=16', '--max-old-space-size=160'];

const startsAtMost = 3;

export async function createReplica(options: ReplicaOptions): Promise<Replica> {
  const { name, module, env, onCrash = () => {}, port = await freePort(), ...launching } = options;
  const lives: TestProcess[] = [];
  let [asked, isRunning] = [false, false];
  const running = () => lives.at(-1)!;
  const begin = async (own: Record<string, string>) => {
    asked = false;
    const life = startProcess(module, { ...env, ...own, PORT: String(port) }, [], launching);
    lives.push(life);
    isRunning = true;
    void life.exited.then(({ code, signal }) => {
      if (life !== running()) return;
      isRunning = false;
      if (asked) return;
      const lastWords = life.lines.slice(-3).join(' | ');
      onCrash(`${name} ended by itself (${signal ?? `exit code ${code}`}): ${lastWords}`);
    });
    await life.ready;
  };
  const end = (signal: NodeJS.Signals) => {
    asked = true;
    return running().kill(signal);
  };
  const signal = (one: NodeJS.Signals) => void process.kill(running().pid, one);
  return {
    name,
    port,
    pid: () => running().pid,
    isRunning: () => isRunning,
    // Another connection may hold the port for a moment.
    start: async (own = {}) => {
      for (let tries = 1; ; tries += 1) {
        const error = await begin(own).catch((reason: unknown) => reason);
        if (error === undefined) return;
        if (tries === startsAtMost) throw error;
      }
    },
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    lines: () => lives.flatMap((life) => life.lines),
  };
}
