import { query } from '../ground.ts';
import { type Load, startLoad } from '../load/load.ts';
import { type Receivers, startReceivers } from '../load/receiver.ts';
import { plainFigure, summaryOf } from '../rates.ts';
import { judgeFigure } from '../results.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { rest } from '../side.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { percentile } from '../statistics.ts';
import { type BenchStore, createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const receivers = 8;

type Setup = { ours: Ours; load: Load; stores: Receivers; store: BenchStore; urls: string[] };

/** How long after its event was committed a webhook arrives, at half of what the system can sustain. */
export const latency: Scenario = {
  name: 'latency',
  title: 'event committed to webhook received, at half load',
  run: async (context) => {
    const { ground, options } = context;
    // The only clock that says when a transaction was committed.
    await ground.configurePostgres({ track_commit_timestamp: 'on' });
    const ours = await startOurs(ground, { name: 'bench_latency' });
    const [load, stores] = [startLoad(), startReceivers()];
    try {
      const { healthy: urls } = await stores.listen(receivers);
      const setup = { ours, load, stores, store: await createStore(ours.databaseUrl), urls };
      const sustained = await sustainedRate(context, setup);
      const rounds: number[][] = [];
      for (let round = 0; round <= options.rounds; round += 1)
        rounds.push(await arrivalTimes(context, setup, sustained / 2));
      const at = (p: number) => rounds.slice(1).map((times) => percentile(times, p));
      const p50 = plainFigure('ours', 'p50', 'ms', at(0.5));
      const p99 = plainFigure('ours', 'p99', 'ms', at(0.99));
      return {
        conditions: [
          `creations with a webhookUrl at ${Math.round(sustained / 2)}/s, half of what was sustained with ${options.connections} connections, webhooks included`,
          `${options.rounds} rounds of ${options.seconds} s after one of warm-up, ${receivers} receivers`,
          "from PostgreSQL's commit timestamp (track_commit_timestamp) to the arrival of the request's last byte",
        ],
        figures: [plainFigure('ours', 'creations with webhook, sustained', '/s', [sustained]), p50, p99],
        verdicts: [
          judgeFigure('event committed to webhook received, p50', p50, 'ms', { atMost: 15 }),
          judgeFigure('event committed to webhook received, p99', p99, 'ms', { atMost: 60 }),
        ],
        notes: [],
      };
    } finally {
      await load.stop();
      await stores.stop();
      await ours.stop();
      await ground.dropDatabase(ours.database);
      await ground.configurePostgres({ track_commit_timestamp: 'off' });
    }
  },
};

/** Creations a second, counted until the last of their webhooks has arrived. */
async function sustainedRate({ options, ground, say }: BenchContext, setup: Setup): Promise<number> {
  const { ours, load, stores, store, urls } = setup;
  const job = { ...creationJob(ours.url, store, urls), connections: options.connections };
  let rate = Number.NaN;
  for (const what of ['warm-up', 'full load']) {
    await stores.reset();
    const startedAt = performance.timeOrigin + performance.now();
    const result = await load.run({ ...job, seconds: options.seconds });
    const report = await stores.waitFor(result.operations);
    rate = (report.count / (report.lastMs - startedAt)) * 1_000;
    say(`${what}: ${summaryOf(result)}; with webhooks ${Math.round(rate)}/s`);
    await rest(ground, ours);
  }
  return rate;
}

async function arrivalTimes(
  { options, say }: BenchContext,
  { ours, load, stores, store, urls }: Setup,
  rate: number,
): Promise<number[]> {
  await stores.reset(true);
  const job = { ...creationJob(ours.url, store, urls), connections: options.connections };
  const result = await load.run({ ...job, seconds: options.seconds, rate });
  const { ids } = await stores.waitFor(result.operations);
  const committed = await commitTimes(ours, Object.keys(ids));
  const times = committed.map(({ id, ms }) => (ids[id] ?? Number.NaN) - ms);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  say(
    `half load: ${summaryOf(result)}; ${times.length} webhooks, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
  return times;
}

/** Of the payment's row: its event was in the same transaction, and has been written to since. */
function commitTimes({ databaseUrl }: Ours, eventIds: string[]) {
  return query<{ id: string; ms: number }>(
    databaseUrl,
    `select e.id, extract(epoch from pg_xact_commit_timestamp(p.xmin))::float8 * 1000 as ms
      from events e join payments p on p.id = e.payment_id where e.id = any($1::uuid[])`,
    [eventIds],
  );
}
