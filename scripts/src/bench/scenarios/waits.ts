import { setTimeout as delay } from 'node:timers/promises';
import { session } from '../ground.ts';
import { startLoad } from '../load/load.ts';
import { startReceivers } from '../load/receiver.ts';
import { plainFigure, summaryOf } from '../rates.ts';
import { number } from '../report.ts';
import { judgeFigure } from '../results.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { rest } from '../side.ts';
import { startOurs } from '../sides/ours.ts';
import { createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const everyMs = 10;
const wantedShare = 0.05;

/** What PostgreSQL waits for while one of each service, and two of each, work for one busy store. */
export const waits: Scenario = {
  name: 'waits',
  title: 'what two replicas of each wait for',
  run: async (context) => {
    const one = await sample(context, 1);
    const two = await sample(context, 2);
    const locks = plainFigure('two of each', 'active backends that wait for a row or a lock', 'share', [
      two.lockShare,
    ]);
    return {
      conditions: [
        `creations with a webhookUrl for one store, ${context.options.connections} connections over the APIs, for ${context.options.seconds} s after as much warm-up`,
        `pg_stat_activity every ${everyMs} ms: what its active backends wait for; none is running on a core, or waiting for one`,
      ],
      figures: [
        plainFigure('one of each', 'creations', '/s', [one.rate]),
        plainFigure('two of each', 'creations', '/s', [two.rate]),
        plainFigure('one of each', locks.what, 'share', [one.lockShare]),
        locks,
      ],
      verdicts: [
        {
          ...judgeFigure('share of active backends that wait for a row or a lock, two of each', locks, 'ms', {
            atMost: wantedShare,
          }),
          unit: 'ratio' as const,
        },
      ],
      notes: [
        'on these cores two replicas cannot be faster than one; that nothing shared would stop them on more is shown by what their backends wait for',
        `one of each: ${one.summary}`,
        `two of each: ${two.summary}`,
      ],
    };
  },
};

async function sample({ ground, options, say }: BenchContext, replicas: number) {
  const ours = await startOurs(ground, { name: 'bench_waits', apis: replicas, dispatchers: replicas });
  const stores = startReceivers();
  const loads = ours.urls.map(() => startLoad());
  try {
    const { healthy } = await stores.listen(8);
    const store = await createStore(ours.databaseUrl);
    const run = () =>
      Promise.all(
        loads.map((load, index) =>
          load.run({
            ...creationJob(ours.urls[index] ?? '', store, healthy),
            connections: Math.ceil(options.connections / replicas),
            seconds: options.seconds,
          }),
        ),
      );
    await run();
    const sampler = sampleWaits(ours.databaseUrl, ours.database);
    const results = await run();
    const waiting = await sampler.stop();
    say(`${replicas} of each: ${results.map(summaryOf).join('; ')}`);
    await rest(ground, ours);
    const rate = results.reduce((sum, { operations, seconds }) => sum + operations / seconds, 0);
    return { rate, ...summarise(waiting) };
  } finally {
    for (const load of loads) await load.stop();
    await stores.stop();
    await ours.stop();
    await ground.dropDatabase(ours.database);
  }
}

function sampleWaits(databaseUrl: string, database: string) {
  const counts = new Map<string, number>();
  let over = false;
  const sampling = session(databaseUrl, async (client) => {
    while (!over) {
      const { rows } = await client.query<{ wait: string; backends: number }>(
        `select coalesce(wait_event_type || ' ' || wait_event, 'none') as wait, count(*)::int as backends
          from pg_stat_activity where datname = $1 and state = 'active' and pid <> pg_backend_pid() group by 1`,
        [database],
      );
      for (const { wait, backends } of rows) counts.set(wait, (counts.get(wait) ?? 0) + backends);
      await delay(everyMs);
    }
  });
  const stop = async () => {
    over = true;
    await sampling;
    return counts;
  };
  return { stop };
}

function summarise(counts: ReadonlyMap<string, number>) {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = (count: number) => count / all;
  const locked = [...counts]
    .filter(([wait]) => wait.startsWith('Lock '))
    .reduce((sum, [, count]) => sum + count, 0);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  const summary = sorted.map(([wait, count]) => `${wait} ${number(share(count) * 100)} %`).join(', ');
  return { lockShare: share(locked), summary: `${summary} (of ${all} samples)` };
}
