import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../repository.ts';
import { BenchError } from '../arguments.ts';
import { heapOptions, lastWords } from '../bench-process.ts';
import type { Ground } from '../ground.ts';
import type { Side } from '../side.ts';

/** A sender of webhooks on somebody else's queue (scripts/bench/src/senders). */
export type Sender = Side & {
  fill(count: number, urls: string[]): Promise<void>;
  /** Begins to work off what it was filled with. */
  work(): void;
  pause(): Promise<void>;
};

export async function startSender(
  ground: Ground,
  name: string,
  env: Record<string, string> = {},
): Promise<Sender> {
  const database = `bench_${name.replaceAll('-', '_')}`;
  const databaseUrl = await ground.createDatabase(database, false);
  const logFile = join(ground.dir, `logs/${name}.log`);
  const log = openSync(logFile, 'a');
  const child = fork(join(root, `scripts/bench/dist/senders/${name}.js`), {
    execArgv: heapOptions,
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
