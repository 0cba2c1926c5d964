import { PgBoss } from 'pg-boss';
import { databaseUrl, poolSize } from '../listen.ts';
import type { Job } from './job.ts';
import { concurrency, inParts, serve } from './sender.ts';

/** pg-boss, tuned by its guide for a backlog: batches, several workers, fetching on while there is more. */
const name = 'webhooks';
const batchSize = 64;
const boss = new PgBoss({ connectionString: databaseUrl, max: poolSize, queueCacheIntervalSeconds: 1 });
boss.on('error', (error) => console.error(error));
await boss.start();
await boss.createQueue(name);

serve({
  fill: async (jobs) => {
    for (const part of inParts(jobs))
      await boss.insert(
        name,
        part.map((data) => ({ data })),
      );
  },
  work: async (handle) => {
    const workers = { batchSize, localConcurrency: concurrency / batchSize };
    const polling = { pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
    await boss.work<Job>(name, { ...workers, ...polling, perJobResults: true }, (jobs) =>
      Promise.all(
        jobs.map(async ({ id, data }) => {
          await handle(data);
          return { id, status: 'completed' as const };
        }),
      ),
    );
  },
  pause: () => boss.offWork(name),
});
