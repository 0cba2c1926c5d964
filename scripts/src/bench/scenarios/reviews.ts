import { setTimeout as delay } from 'node:timers/promises';
import { fillReviews } from '../fill/reviews.ts';
import { query } from '../ground.ts';
import type { LoadResult } from '../load/job.ts';
import { startLoad } from '../load/load.ts';
import { plainFigure, summaryOf } from '../rates.ts';
import { judgeRatio } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { rest } from '../side.ts';
import { startOurs } from '../sides/ours.ts';
import { median } from '../statistics.ts';
import { createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const otherWorkPerSecond = 50;
const everyMs = 1_000;

/** Reviews that are overdue, refunded while payments go on being created. */
export const reviews: Scenario = {
  name: 'reviews',
  title: 'reviews overdue, drained beside other work',
  run: async ({ ground, options, say }) => {
    const ours = await startOurs(ground, { name: 'bench_reviews', env: { SCAN_INTERVAL_SECONDS: '1' } });
    const load = startLoad();
    try {
      const [busy, reviewed] = [await createStore(ours.databaseUrl), await createStore(ours.databaseUrl)];
      const other = {
        ...creationJob(ours.url, busy),
        connections: options.connections,
        rate: otherWorkPerSecond,
      };
      const alone: LoadResult[] = [];
      for (let round = 0; round <= options.rounds; round += 1)
        alone.push(await load.run({ ...other, seconds: options.seconds }));
      say(`without reviews: ${alone.slice(1).map(summaryOf).join('; ')}`);
      await rest(ground, ours);
      say(`filling: ${options.reviews} reviews, overdue`);
      // The service connects to the bank's new process, which warms up: neither is what the reviews do.
      const beforeShown = () => load.run({ ...other, seconds: options.seconds });
      const dispatcher = ours.processes.find(({ name }) => name === 'dispatcher')!.pid;
      const fill = { storeId: reviewed.id, count: options.reviews, beforeShown, dispatcher };
      await fillReviews(ground, ours.databaseUrl, fill);
      const beside: LoadResult[] = [];
      const draining = drain(ours.databaseUrl, reviewed.id, options.reviews, options.minutes * 60_000);
      let isDraining = true;
      // What ends the scenario before is thrown below.
      const ended = () => {
        isDraining = false;
      };
      draining.then(ended, ended);
      while (isDraining) beside.push(await load.run({ ...other, seconds: options.seconds }));
      say(`beside reviews: ${beside.map(summaryOf).join('; ')}`);
      const { perSecond, left } = await draining;
      const half = Math.ceil(perSecond.length / 2);
      const first = plainFigure('first half of the time', 'reviews ended', '/s', perSecond.slice(0, half));
      const second = plainFigure('second half of the time', 'reviews ended', '/s', perSecond.slice(half));
      const p99 = (name: string, results: LoadResult[]) =>
        plainFigure(
          name,
          'p99 of a creation',
          'ms',
          results.map(({ latencyMs }) => latencyMs.p99),
        );
      const [without, among] = [
        p99('without reviews', alone.slice(1)),
        p99('while reviews are drained', beside),
      ];
      return {
        conditions: [
          `${options.reviews} reviews overdue at once, refunded at the PSP; ${otherWorkPerSecond} creations a second beside them; watched for ${options.minutes} minutes at most, the other work in rounds of ${options.seconds} s all the while`,
        ],
        figures: [first, second, without, among],
        verdicts: [
          judgeRatio('reviews ended a second, second half of the time', [second, first], { atLeast: 0.8 }),
          judgeRatio('p99 of creations while reviews are drained', [among, without], { atMost: 2 }),
        ],
        notes: [
          `${left} of ${options.reviews} were left; at the median ${Math.round(median(perSecond))} a second ended`,
        ],
      };
    } finally {
      await load.stop();
      await ours.stop();
      await ground.dropDatabase(ours.database);
    }
  },
};

/** @returns how many ended in each second, and how many were left when the time was over */
async function drain(databaseUrl: string, storeId: string, count: number, patienceMs: number) {
  const perSecond: number[] = [];
  let left = count;
  for (const deadline = Date.now() + patienceMs; left > 0 && Date.now() < deadline; ) {
    await delay(everyMs);
    const [row] = await query<{ left: number }>(
      databaseUrl,
      "select coalesce(sum(payments), 0)::int as left from payment_counts where store_id = $1 and status = 'review'",
      [storeId],
    );
    const now = row?.left ?? 0;
    perSecond.push((left - now) / (everyMs / 1_000));
    left = now;
  }
  // The first refunds take a moment to be asked for.
  const since = perSecond.findIndex((ended) => ended > 0);
  return { perSecond: perSecond.slice(Math.max(0, since)), left };
}
