import { query } from '@payments/testing/sessions';
import { type Figure, figureFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { startReceivers } from '../load/receivers.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { inTurns, median, percentile } from '../statistics.ts';

const receivers = 8;

/** The time from an event's commit to its webhook's arrival, at half of the sustained rate. */
export const latency: Scenario = {
  name: 'latency',
  title: 'event committed to webhook received, at half of the sustained rate',
  run: async (bench) => {
    const { ground, options } = bench;
    await using ours = await startOurs(ground);
    await ours.dispatcher.start();
    await using generator = startGenerator();
    await using stores = startReceivers();
    const { connections, seconds } = options;
    const job = { ...creations(ours, (await stores.listen(receivers)).healthy), connections };
    /** Creates payments until the time is up, and waits for the last webhook. */
    const createAndWait = async (pace: { rate?: number }) => {
      await stores.reset();
      const { operations } = await generator.run({ ...job, until: { seconds }, ...pace });
      return stores.waitFor(operations);
    };
    const sustained = await inTurns(bench, { what: 'creations with webhook, sustained', unit: '/s' }, [
      {
        side: 'ours',
        run: async () => {
          const startedAt = performance.timeOrigin + performance.now();
          const { count, lastMs } = await createAndWait({});
          return (count / (lastMs - startedAt)) * 1_000;
        },
      },
    ]);
    const rate = median(sustained[0]!.values) / 2;
    const p99: Figure = { side: 'ours', what: 'commit to arrival, p99', unit: 'ms', values: [] };
    const measureHalf = async () => {
      const { ids } = await createAndWait({ rate });
      const times = await waitsOf(ours.databaseUrl, ids);
      p99.values.push(percentile(times, 0.99));
      return percentile(times, 0.5);
    };
    const half = { what: 'commit to arrival, p50', unit: 'ms' };
    const [p50] = await inTurns(bench, half, [{ side: 'ours', run: measureHalf }]);
    // The warm-up's value.
    p99.values.shift();
    return {
      floors: [
        figureFloor('event committed to webhook received, p50', p50!, 'ms', { atMost: 15 }),
        figureFloor('event committed to webhook received, p99', p99, 'ms', { atMost: 60 }),
      ],
      figures: [...sustained, p50!, p99],
    };
  },
};

/** @returns milliseconds from each payment's commit, which is also its event's, to the webhook's arrival */
async function waitsOf(databaseUrl: string, arrivals: Record<string, number>): Promise<number[]> {
  const committed = await query<{ id: string; ms: number }>(
    databaseUrl,
    `select e.id, extract(epoch from pg_xact_commit_timestamp(p.xmin))::float8 * 1000 as ms
      from events e join payments p on p.id = e.payment_id where e.id = any($1::uuid[])`,
    [Object.keys(arrivals)],
  );
  return committed.map(({ id, ms }) => arrivals[id]! - ms);
}
