import { setTimeout as delay } from 'node:timers/promises';
import { connect, type Database } from '@payments/database/connection';
import { fillDeliveries } from '../fill/deliveries.ts';
import { openBarestLedger } from '../load/barest-ledger.ts';
import { claimAndRecord } from '../load/claims.ts';
import { startReceivers } from '../load/receiver.ts';
import { profiled } from '../profile.ts';
import { figureOf } from '../rates.ts';
import { bestOf, type Figure, judgeRatio, type Verdict } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { measure, rest } from '../side.ts';
import { startOurs } from '../sides/ours.ts';
import { type Redis, startRedis } from '../sides/redis.ts';
import { type Sender, startAttempts, startSender } from '../sides/sender.ts';
import { createStore } from '../stores.ts';
import { byLedger, bySender, byUs, type Delivering } from './delivering.ts';

const receivers = 8;
const perSecond = 1_000;
const queues = ['pg-boss', 'graphile-worker', 'bullmq'];

/** Webhooks a second to receivers that answer at once: ours, on job queues, by hand, and a loop without any of it. */
export const deliveries: Scenario = {
  name: 'deliveries',
  title: 'webhooks a second, healthy receivers',
  run: ({ ground, options, say }) =>
    profiled(options.profile, say, async (profileDir) => {
      const ours = await startOurs(ground, { name: 'bench_deliveries', profileDir });
      const db = connect(ours.databaseUrl, { applicationName: 'bench' });
      const barest = await openBarestLedger(ours.databaseUrl);
      const redis = await startRedis(ground, say);
      const stores = startReceivers();
      const { healthy: urls } = await stores.listen(receivers);
      const count = Math.round(options.seconds * perSecond);
      const senders = await startSenders({ ground, options, say }, redis);
      try {
        const store = await createStore(ours.databaseUrl);
        const fill = (as: 'committed' | 'due') =>
          fillDeliveries(ours.databaseUrl, { storeId: store.id, count, urls, as });
        const [committed, due] = [() => fill('committed'), () => fill('due')];
        const arrivals = { stores, count };
        const all = [
          byUs('ours', ours, committed, arrivals, () => untilPublished(db)),
          byUs('ours, from the ledger', ours, due, arrivals),
          byLedger('the ledger alone', ours, due, () => claimAndRecord(db)),
          byLedger('the barest ledger', ours, due, barest.claimAndRecord),
          ...senders.map((sender) => bySender(sender, urls, arrivals)),
        ];
        const figures = await compare({ ground, options, say }, all);
        return {
          conditions: [
            `${count} webhooks a round to ${receivers} receivers, ${options.rounds} rounds in turns after one of warm-up; at most 256 under way on every side`,
            'the rate is from the first arrival to the last, once all of them lie ready',
            'ours: of events that nobody has published yet, while the sweep of the outbox does so; from the ledger: once they are published',
            'by hand: one narrow table, claims and records in batches by the bare driver, without order, receivers kept apart, fences, lost attempts, retries, log or metrics',
            'the attempts alone: what the dispatcher does with a claimed delivery, signature, vetted address, POST, log line and metrics, without claims and records',
            'the ledger alone: claims and records by the dispatcher’s own statements, 128 at a time, from the first claim to the last record, and nothing is sent',
            'the barest ledger: the same with the least statements that leave each delivery claimed and its attempt on record, without receivers, fences, retries, lost attempts or order',
          ],
          figures,
          verdicts: verdictsOf(figures),
          notes: redis ? [] : ['bullmq is left out: there is no redis-server here'],
        };
      } finally {
        for (const sender of senders) await sender.stop();
        await redis?.stop();
        await barest.end();
        await db.destroy();
        await ours.stop();
        await stores.stop();
        await ground.dropDatabase(ours.database);
      }
    }),
};

async function untilPublished(db: Database): Promise<void> {
  const left = () => db.selectFrom('outbox').select('event_id').limit(1).execute();
  while ((await left()).length > 0) await delay(20);
}

async function startSenders({ ground }: BenchContext, redis: Redis | undefined): Promise<Sender[]> {
  const started: Sender[] = [await startAttempts(ground)];
  for (const name of ['undici', 'by-hand', ...queues]) {
    if (name === 'bullmq' && !redis) continue;
    const sender = await startSender(ground, name, redis && { REDIS_URL: redis.url });
    const idle = { readyMs: Number.NaN, stop: async () => {} };
    if (name === 'bullmq' && redis) sender.processes.push({ name: 'redis', pid: redis.pid, ...idle });
    started.push(sender);
  }
  return started;
}

async function compare(
  { ground, options, say }: BenchContext,
  all: readonly Delivering[],
): Promise<Figure[]> {
  const turns = all.map(({ name, side, prepare, work, after }) => ({
    name,
    run: async () => {
      await rest(ground, side);
      await prepare();
      try {
        const measured = await measure(ground, side, work);
        say(`  ${Math.round(measured.outcome.value)}/s`);
        return measured;
      } finally {
        await after();
      }
    },
  }));
  const outcomes = await interleave(turns, options.rounds, say);
  return all.map(({ name }) => figureOf(name, { what: 'webhooks', unit: '/s' }, outcomes.get(name) ?? []));
}

/** By both ways: what lies in the ledger is where a job queue's work lies; the sweep publishes it besides. */
function verdictsOf(figures: readonly Figure[]): Verdict[] {
  const best = bestOf(figures.filter(({ side }) => queues.includes(side)));
  const raw = figures.find(({ side }) => side === 'undici');
  return figures
    .filter(({ side }) => side.startsWith('ours'))
    .flatMap((ours) => [
      ...(best ? [judgeRatio(`webhooks/s of ${ours.side}`, [ours, best], { atLeast: 2 })] : []),
      ...(raw ? [judgeRatio(`webhooks/s of ${ours.side}`, [ours, raw], { atLeast: 0.5 })] : []),
    ]);
}
