import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { BenchError } from '../options.ts';
import type { LoadJob, LoadResult } from './job.ts';

/** A load generator in its own process. */
export type Generator = AsyncDisposable & {
  /** @throws BenchError if a response was not 200: the figure would be worthless */
  run(job: LoadJob): Promise<LoadResult>;
};

export function startGenerator(): Generator {
  const child: ChildProcess = fork(new URL('./generator-process.ts', import.meta.url), { execArgv: [] });
  return {
    run: async (job) => {
      child.send(job);
      const [result] = (await once(child, 'message')) as [LoadResult];
      const failures = JSON.stringify(result.failures);
      if (failures !== '{}') throw new BenchError(`${job.method} ${job.paths[0]}: answers ${failures}`);
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
