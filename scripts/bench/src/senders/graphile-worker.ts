import { Logger, makeWorkerUtils, type Runner, run } from 'graphile-worker';
import { databaseUrl, poolSize } from '../listen.ts';
import type { Job } from './job.ts';
import { concurrency, inParts, serve } from './sender.ts';

/** graphile-worker, tuned by its guide for throughput: jobs fetched and completed in batches. */
const utils = await makeWorkerUtils({ connectionString: databaseUrl });
await utils.migrate();
// A line for each job would be the only log of its kind among these senders.
const logger = new Logger(() => () => {});
let runner: Runner | undefined;

serve({
  fill: async (jobs) => {
    for (const part of inParts(jobs))
      await utils.addJobs(part.map((payload) => ({ identifier: 'webhook', payload })));
  },
  work: async (handle) => {
    runner = await run({
      preset: {
        worker: {
          connectionString: databaseUrl,
          maxPoolSize: poolSize,
          concurrentJobs: concurrency,
          localQueue: { size: concurrency * 2 },
          completeJobBatchDelay: 0,
        },
      },
      logger,
      noHandleSignals: true,
      taskList: { webhook: (payload) => handle(payload as Job) },
    });
  },
  pause: async () => runner?.stop(),
});
