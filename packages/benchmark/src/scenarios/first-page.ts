import { fillPayments } from '../fill-tables.ts';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { reads } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

/** The first page and `total` of a store with many payments, compared with a store with few. */
export const firstPage: Scenario = {
  name: 'first-page',
  title: 'first page and total of 1,000,000 payments',
  run: async (bench) => {
    const { ground, options, say } = bench;
    await using large = await startOurs(ground);
    await using small = await startOurs(ground);
    await using generator = startGenerator();
    const turns = [];
    for (const [ours, size] of [
      [large, 1_000_000],
      [small, 1_000],
    ] as const) {
      say(`  filling: ${size} payments`);
      await fillPayments(ours.databaseUrl, size);
      const { connections, seconds } = options;
      const job = { ...reads(ours, ['?page=1']), connections, until: { seconds } };
      turns.push({ side: `of ${size}`, run: async () => (await generator.run(job)).medianMs });
    }
    const figures = await inTurns(bench, { what: 'first page', unit: 'ms' }, turns);
    const [many, few] = figures as [Figure, Figure];
    return { floors: [ratioFloor('time of the first page', [many, few], { atMost: 2 })], figures };
  },
};
