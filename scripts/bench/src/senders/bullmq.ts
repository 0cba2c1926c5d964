import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { Job } from './job.ts';
import { concurrency, inParts, serve } from './sender.ts';

/** BullMQ; finished jobs are removed, as its guide has it for production. */
const name = 'webhooks';
const connection = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
const queue = new Queue<Job>(name, { connection });
let worker: Worker<Job> | undefined;

serve({
  fill: async (jobs) => {
    const opts = { removeOnComplete: true };
    for (const part of inParts(jobs)) await queue.addBulk(part.map((data) => ({ name, data, opts })));
  },
  work: async (handle) => {
    worker = new Worker<Job>(name, ({ data }) => handle(data), {
      connection,
      concurrency,
    });
    await worker.waitUntilReady();
  },
  pause: async () => worker?.close(),
});
