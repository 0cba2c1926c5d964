import { type BadReceiver, startBadReceiver, tempers } from '@payments/testing/bad-receivers';
import { query } from '../ground.ts';
import { startLoad } from '../load/load.ts';
import { startReceivers } from '../load/receiver.ts';
import { plainFigure } from '../rates.ts';
import { judgeRatio } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { rest } from '../side.ts';
import { startOurs } from '../sides/ours.ts';
import { percentile } from '../statistics.ts';
import { createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const badOnes = 50;
const perSecond = 80;

/**
 * How much 50 bad receivers cost a healthy one: its time from creation to arrival alone and among them. Alone, the same
 * number of events goes to a second healthy receiver instead.
 */
export const isolation: Scenario = {
  name: 'isolation',
  title: 'a healthy receiver among fifty bad ones',
  run: async ({ ground, options, say }) => {
    const env = { WEBHOOK_TIMEOUT_MS: '5000', WEBHOOK_RETRY_SECONDS: '2,5,10,30' };
    const ours = await startOurs(ground, { name: 'bench_isolation', env });
    const [load, stores] = [startLoad(), startReceivers()];
    const bad: BadReceiver[] = [];
    try {
      for (let index = 0; index < badOnes; index += 1)
        bad.push(await startBadReceiver(tempers[index % tempers.length] ?? 'hangs'));
      const { healthy } = await stores.listen(2);
      const [measured, other] = healthy as [string, string];
      const store = await createStore(ours.databaseUrl);
      const round = async (others: string[]): Promise<number> => {
        await stores.reset(true);
        const since = new Date();
        const urls = others.flatMap((url) => [measured, url]);
        const job = creationJob(ours.url, store, urls);
        const seconds = options.seconds;
        await load.run({ ...job, connections: options.connections, seconds, rate: perSecond });
        const share = urls.filter((url) => healthy.includes(url)).length / urls.length;
        const { ids } = await stores.waitFor(Math.floor(perSecond * seconds * share), 10_000);
        const latencies = await arrivalTimes(ours.databaseUrl, { url: measured, since }, ids);
        say(
          `  p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
        );
        return percentile(latencies, 0.99);
      };
      const turns = [
        { name: 'alone', run: () => round([other]) },
        { name: `among ${badOnes} bad receivers`, run: () => round(bad.map(({ url }) => url)) },
      ];
      const outcomes = await interleave(turns, options.rounds, say);
      await rest(ground, ours);
      const figures = turns.map(({ name }) =>
        plainFigure(name, 'p99 from creation to arrival', 'ms', outcomes.get(name) ?? []),
      );
      const [alone, among] = figures as [(typeof figures)[0], (typeof figures)[0]];
      const conditions = [
        `${perSecond} creations a second, every other one for the measured receiver, the rest for a healthy one or for ${badOnes} bad ones in turn: ${tempers.join(', ')}`,
      ];
      return { conditions, figures, verdicts: [judgeRatio('p99', [among, alone], { atMost: 2 })], notes: [] };
    } finally {
      for (const one of bad) await one.close();
      await load.stop();
      await stores.stop();
      await ours.stop();
      await ground.dropDatabase(ours.database);
    }
  },
};

/** @returns how long after its payment's creation each webhook arrived, in milliseconds; what did not is late for ever */
async function arrivalTimes(
  databaseUrl: string,
  { url, since }: { url: string; since: Date },
  ids: Record<string, number>,
): Promise<number[]> {
  const rows = await query<{ id: string; ms: number }>(
    databaseUrl,
    `select e.id, extract(epoch from p.created_at)::float8 * 1000 as ms from events e
      join payments p on p.id = e.payment_id where p.webhook_url = $1 and p.created_at >= $2`,
    [url, since],
  );
  return rows.map(({ id, ms }) => (ids[id] ?? Number.POSITIVE_INFINITY) - ms);
}
