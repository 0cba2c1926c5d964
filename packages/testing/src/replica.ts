import { freePort } from '@payments/backing-services/free-port';
import { type Ended, startProcess, type TestProcess } from './processes.ts';

/** A process of a system on a port that it keeps, however often it is ended and started. */
export type Replica = {
  name: string;
  port: number;
  pid(): number;
  isRunning(): boolean;
  /** Resolves when it is ready. */
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<Ended>;
  /** SIGTERM: finishes what is in flight. */
  terminate(): Promise<Ended>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** What it wrote, over all its lives. */
  lines(): string[];
};

export type ReplicaOptions = {
  name: string;
  /** Path of its main module. */
  module: string;
  env: Record<string, string>;
  port?: number;
  /** Answers 200 when it can serve. */
  readyPath?: string;
  nodeArgs?: string[];
  /** Whether its answers are held against the OpenAPI documents. */
  watched?: boolean;
  /** Takes all that it writes. */
  logFile?: string;
  /** Hears of an end that nobody asked for. */
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
  const begin = async () => {
    asked = false;
    const life = startProcess(module, { ...env, PORT: String(port) }, [], launching);
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
    // Somebody's connection may have the port for a moment.
    start: async () => {
      for (let tries = 1; ; tries += 1) {
        const error = await begin().catch((reason: unknown) => reason);
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
