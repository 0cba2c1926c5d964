import { setTimeout as delay } from 'node:timers/promises';
import { query } from '@payments/testing/sessions';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { openPages } from '../load/open-pages.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const openAtOnce = 1_000;
const perSecond = 200;

/** Creations while a thousand payers have their pages open, compared with none. */
export const pages: Scenario = {
  name: 'pages',
  title: 'creations while 1,000 pages of payers are open',
  run: async (bench) => {
    const { ground, options } = bench;
    await using ours = await startOurs(ground, { PAYER_PAGES_PER_MINUTE: '0' });
    await using generator = startGenerator();
    const { connections } = options;
    // The p99 of a thousand sales hangs on ten of them.
    const seconds = 3 * options.seconds;
    const job = { ...creations(ours), connections };
    const p99 = async () => (await generator.run({ ...job, rate: perSecond, until: { seconds } })).p99Ms;
    await generator.run({ ...job, until: { requests: openAtOnce } });
    const rows = await query<{ id: string }>(ours.databaseUrl, `select id from payments limit ${openAtOnce}`);
    const ids = rows.map(({ id }) => id);
    const p99WithPages = async () => {
      const close = await openPages(ours.url, ids);
      // Opening them is not what is measured.
      await delay(1_000);
      const ms = await p99();
      await close();
      return ms;
    };
    const figures = await inTurns(bench, { what: 'creations, p99', unit: 'ms' }, [
      { side: 'no page open', run: p99 },
      { side: '1,000 pages open', run: p99WithPages },
    ]);
    const [none, open] = figures as [Figure, Figure];
    return { floors: [ratioFloor(open.what, [open, none], { atMost: 1.2 })], figures };
  },
};
