import { query } from '../ground.ts';
import { type Load, startLoad } from '../load/load.ts';
import { type Receivers, startReceivers } from '../load/receiver.ts';
import { figureOf, summaryOf } from '../rates.ts';
import { judgeFigure } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { measure } from '../side.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { median, percentile } from '../statistics.ts';
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
      const full = await inRounds(context, 'full load', () => fullLoad(context, setup));
      const atFull = figureOf('ours', { what: 'creations with webhook, sustained', unit: '/s' }, full);
      const rate = median(atFull.values) / 2;
      const half = await inRounds(context, 'half load', () => halfLoad(context, setup, rate));
      const p50 = figureOf('ours', { what: 'p50', unit: 'ms' }, half.map(percentileOf(0.5)));
      const p99 = figureOf('ours', { what: 'p99', unit: 'ms' }, half.map(percentileOf(0.99)));
      return {
        conditions: [
          `creations with a webhookUrl at ${Math.round(rate)}/s, half of what was sustained with ${options.connections} connections, webhooks included`,
          `${options.rounds} rounds of ${options.seconds} s after one of warm-up, ${receivers} receivers`,
          "from PostgreSQL's commit timestamp (track_commit_timestamp) to the arrival of the request's last byte",
        ],
        figures: [atFull, p50, p99],
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

/** @returns each round after one of warm-up */
async function inRounds<Round>(
  { options, say }: BenchContext,
  name: string,
  run: () => Promise<Round>,
): Promise<Round[]> {
  return (await interleave([{ name, run }], options.rounds, say)).get(name) ?? [];
}

/** Creates payments until the time is up, and waits until the last of their webhooks has arrived. */
function createAndSend({ options, ground }: BenchContext, setup: Setup, pace: { rate?: number } = {}) {
  const { ours, load, stores, store, urls } = setup;
  const { seconds, connections } = options;
  const job = { ...creationJob(ours.url, store, urls), connections, seconds, ...pace };
  return measure(ground, ours, async () => {
    const before = await stores.reset(true);
    const startedAt = performance.timeOrigin + performance.now();
    const result = await load.run(job);
    const { count, lastMs, ids, cpuSeconds } = await stores.waitFor(result.operations);
    const value = (count / (lastMs - startedAt)) * 1_000;
    const cpu = { load: result.cpuSeconds, receivers: cpuSeconds - before.cpuSeconds };
    return { operations: result.operations, result, value, ids, cpu };
  });
}

/** Creations a second, counted until the last of their webhooks has arrived. */
async function fullLoad(context: BenchContext, setup: Setup) {
  const round = await createAndSend(context, setup);
  const { result, value } = round.outcome;
  context.say(`  ${summaryOf(result)}; with webhooks ${Math.round(value)}/s`);
  return round;
}

/** Each round with its webhooks' times from commit to arrival, in milliseconds. */
async function halfLoad(context: BenchContext, setup: Setup, rate: number) {
  const round = await createAndSend(context, setup, { rate });
  const { ids, result } = round.outcome;
  const committed = await commitTimes(setup.ours, Object.keys(ids));
  const times = committed.map(({ id, ms }) => (ids[id] ?? Number.NaN) - ms);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  context.say(
    `  ${summaryOf(result)}; ${times.length} webhooks, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  );
  return { ...round, times };
}

function percentileOf(p: number) {
  return ({ times, ...round }: Awaited<ReturnType<typeof halfLoad>>) => ({
    ...round,
    outcome: { value: percentile(times, p) },
  });
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
