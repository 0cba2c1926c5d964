import { fillPayments } from '../fill-tables.ts';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { reads } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const sizes = [1_000_000, 1_000];

/** The first page and `total` of a store with many payments, compared with a store with few. */
export const firstPage: Scenario = {
  name: 'first-page',
  title: 'first page and total of 1,000,000 payments',
  run: async (bench) => {
    const { ground, options, say } = bench;
    const systems = await Promise.all(sizes.map(() => startOurs(ground)));
    const generator = startGenerator();
    try {
      const turns = [];
      for (const [index, ours] of systems.entries()) {
        const size = sizes[index]!;
        say(`  filling: ${size} payments`);
        await fillPayments(ours.databaseUrl, size);
        const { connections, seconds } = options;
        const job = { ...reads(ours, ['?page=1']), connections, until: { seconds } };
        turns.push({ side: `of ${size}`, run: async () => (await generator.run(job)).medianMs });
      }
      const figures = await inTurns(bench, { what: 'first page', unit: 'ms' }, turns);
      const [many, few] = figures as [Figure, Figure];
      return { floors: [ratioFloor('time of the first page', [many, few], { atMost: 2 })], figures };
    } finally {
      await generator.stop();
      for (const ours of systems) await ours.stop();
    }
  },
};
