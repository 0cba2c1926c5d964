import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { EmptyDatabase, Ground } from '../ground.ts';
import { sidesFolder } from '../installation.ts';
import { BenchError } from '../options.ts';
import { sideFlags } from './side.ts';

export type GraphileWorker = AsyncDisposable & {
  /** Adds jobs of one webhook each, to these URLs in turn. */
  fill(count: number, urls: readonly string[]): Promise<void>;
  /**
   * Starts a worker.
   * @returns a function that ends it
   */
  work(): () => Promise<void>;
};

export async function prepareGraphileWorker(ground: Ground): Promise<GraphileWorker> {
  const database = await ground.createEmptyDatabase();
  const run = (...args: string[]) => launch(ground, database, args);
  return {
    fill: async (count, urls) => {
      const [code] = await once(run('fill', String(count), ...urls), 'exit');
      if (code !== 0) throw new BenchError(`graphile-worker took no jobs: exit code ${code}`);
    },
    work: () => {
      const worker = run('work');
      return async () => {
        worker.kill('SIGKILL');
        await once(worker, 'exit');
      };
    },
    [Symbol.asyncDispose]: database.drop,
  };
}

function launch(ground: Ground, database: EmptyDatabase, args: string[]) {
  const log = openSync(ground.logOf('graphile-worker'), 'a');
  const program = join(sidesFolder, 'dist/graphile-worker.js');
  const child = spawn(process.execPath, [...sideFlags, program, ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: database.url },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return child;
}
