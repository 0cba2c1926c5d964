import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { startReceivers } from '../load/receivers.ts';
import { watchIdle } from '../machine.ts';
import type { Scenario } from '../scenario.ts';
import { prepareGraphileWorker } from '../sides/graphile-worker.ts';
import { startOurs } from '../sides/ours.ts';
import { inTurns, type Turn } from '../statistics.ts';

const deliveries = 40_000;
const receivers = 8;

/**
 * Measures the webhooks a second of a dispatcher that starts with a backlog of deliveries. A graphile-worker starts
 * with as many jobs. The time is from the start of the process to the last arrival.
 */
export const backlog: Scenario = {
  name: 'backlog',
  title: `a dispatcher that starts on ${deliveries} due deliveries`,
  run: async (bench) => {
    const { ground, options, say } = bench;
    await using ours = await startOurs(ground);
    await using jobs = await prepareGraphileWorker(ground);
    await using generator = startGenerator();
    await using stores = startReceivers();
    const { healthy } = await stores.listen(receivers);
    /** @returns webhooks a second, including the start of the process */
    const drain = async (start: () => () => Promise<unknown>) => {
      await stores.reset();
      const idleShare = watchIdle();
      const startedAt = performance.timeOrigin + performance.now();
      const stop = start();
      const { lastMs } = await stores.waitFor(deliveries);
      say(`  processors idle ${(idleShare() * 100).toFixed(0)} % of the time`);
      await stop();
      return (deliveries / (lastMs - startedAt)) * 1_000;
    };
    const { connections } = options;
    const job = { ...creations(ours, healthy), connections, until: { requests: deliveries } };
    const turns: Turn[] = [
      {
        side: 'ours',
        run: async () => {
          await generator.run(job);
          return drain(() => {
            const started = ours.dispatcher.start();
            return () => started.then(ours.dispatcher.terminate);
          });
        },
      },
      {
        side: 'graphile-worker',
        run: async () => {
          await jobs.fill(deliveries, healthy);
          return drain(jobs.work);
        },
      },
    ];
    const settings = { what: 'webhooks a second, start included', unit: '/s', warmUps: 0 };
    const figures = await inTurns(bench, settings, turns);
    const [mine, beside] = figures as [Figure, Figure];
    return { floors: [ratioFloor(settings.what, [mine, beside], { atLeast: 1 })], figures };
  },
};
