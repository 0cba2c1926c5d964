import { freePort } from '@payments/backing-services/free-port';
import { startProcess, type TestProcess } from '@payments/testing/processes';

/** A process of the system that faults befall. */
export type Member = {
  name: string;
  port: number;
  pid(): number;
  start(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM: finishes what is in flight. */
  terminate(): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  freeze(): void;
  thaw(): void;
  /** What it wrote, over all its lives. */
  lines(): string[];
};

export type MemberOptions = {
  name: string;
  module: string;
  env: Record<string, string>;
  /** Answers 200 when it can serve. */
  readyPath?: string;
  /** Hears of an end that nobody asked for. */
  onCrash: (line: string) => void;
};

const startsAtMost = 3;
// As the README has them started.
const nodeArgs = ['--max-semi-space-size=16', '--max-old-space-size=160'];

/** A service on a port of its own that it keeps over its lives. */
export async function createMember(options: MemberOptions): Promise<Member> {
  const { name, module, env, readyPath = '/health/ready', onCrash } = options;
  const port = await freePort();
  const lives: TestProcess[] = [];
  let asked = false;
  const running = () => lives.at(-1)!;
  const begin = async () => {
    asked = false;
    const life = startProcess(module, { ...env, PORT: String(port) }, [], {
      readyPath,
      nodeArgs,
      watched: false,
    });
    lives.push(life);
    void life.exited.then(({ code, signal }) => {
      if (asked || life !== running()) return;
      onCrash(
        `${name} ended by itself (${signal ?? `exit code ${code}`}): ${life.lines.slice(-3).join(' | ')}`,
      );
    });
    await life.ready;
  };
  const end = async (signal: NodeJS.Signals) => {
    asked = true;
    await running().kill(signal);
  };
  const signal = (one: NodeJS.Signals) => void process.kill(running().pid, one);
  return {
    name,
    port,
    pid: () => running().pid,
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
