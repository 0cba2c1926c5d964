import { type Request, signed } from './job.ts';
import { concurrency, post, serve } from './sender.ts';

/** No queue at all: posts what lies ready in memory. */
let ready: Request[] = [];

serve({
  fill: async (jobs) => {
    ready = jobs.map(signed);
  },
  work: async () => {
    const waiting = ready.values();
    const worker = async () => {
      for (const request of waiting) await post(request);
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  },
  pause: async () => {},
});
