import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../repository.ts';
import { BenchError } from '../arguments.ts';
import { heapOptions, lastWords } from '../bench-process.ts';
import type { Ground } from '../ground.ts';
import type { Side } from '../side.ts';

export type Command = { do: 'fill'; count: number; urls: string[] } | { do: 'work' } | { do: 'pause' };

/** A sender of webhooks in a process of its own, which is told over IPC what to do. */
export type Sender = Side & {
  fill(count: number, urls: string[]): Promise<void>;
  /** Begins to work off what it was filled with. */
  work(): void;
  pause(): Promise<void>;
};

/** Starts one that is none of ours (scripts/bench/src/senders). */
export function startSender(ground: Ground, name: string, env: Record<string, string> = {}): Promise<Sender> {
  return start(ground, { name, program: join(root, `scripts/bench/dist/senders/${name}.js`), env });
}

/** Starts the dispatcher's own attempts, without its ledger. */
export function startAttempts(ground: Ground): Promise<Sender> {
  const program = join(root, 'scripts/src/bench/load/attempts-process.ts');
  return start(ground, { name: attemptsAlone, program, nodeOptions: ['--conditions=public-payments'] });
}

export const attemptsAlone = 'the attempts alone';

type Starting = { name: string; program: string; env?: Record<string, string>; nodeOptions?: string[] };

async function start(
  ground: Ground,
  { name, program, env = {}, nodeOptions = [] }: Starting,
): Promise<Sender> {
  const database = `bench_${name.replaceAll(/\W/g, '_')}`;
  const databaseUrl = await ground.createDatabase(database, false);
  const logFile = join(ground.dir, `logs/${name}.log`);
  const log = openSync(logFile, 'a');
  const child = fork(program, {
    execArgv: [...nodeOptions, ...heapOptions],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const done = (what: string) => answered(child, what, `${name} ended`, logFile);
  await done('start');
  return {
    name,
    url: '',
    database,
    databaseUrl,
    processes: [{ name, pid: child.pid!, readyMs: Number.NaN, stop: async () => {} }],
    fill: async (count, urls) => {
      child.send({ do: 'fill', count, urls });
      await done('fill');
    },
    work: () => void child.send({ do: 'work' }),
    pause: async () => {
      child.send({ do: 'pause' });
      await done('pause');
    },
    stop: async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await ground.dropDatabase(database);
    },
  };
}

function answered(child: ChildProcess, what: string, ending: string, logFile: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (message: { done: string }) => {
      if (message.done !== what) return;
      child.off('message', hear);
      child.off('exit', ended);
      resolve();
    };
    const ended = () => reject(new BenchError(`${ending}: ${lastWords(logFile)}`));
    child.on('message', hear);
    child.on('exit', ended);
  });
}
