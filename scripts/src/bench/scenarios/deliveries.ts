import { fillDeliveries } from '../fill/deliveries.ts';
import { type Receivers, startReceivers } from '../load/receiver.ts';
import { profiled } from '../profile.ts';
import { figureOf } from '../rates.ts';
import { bestOf, type Figure, judgeRatio, type Verdict } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { measure, rest, type Side } from '../side.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { type Redis, startRedis } from '../sides/redis.ts';
import { type Sender, startSender } from '../sides/sender.ts';
import { createStore } from '../stores.ts';

const receivers = 8;
const perSecond = 1_000;
const queues = ['pg-boss', 'graphile-worker', 'bullmq'];

/** What lies ready to be sent, and the signal to send it. */
type Delivering = {
  name: string;
  side: Side;
  prepare: () => Promise<void>;
  go: () => void;
  after: () => Promise<void>;
};

/** Webhooks a second to receivers that answer at once: ours, on job queues, and a loop without any. */
export const deliveries: Scenario = {
  name: 'deliveries',
  title: 'webhooks a second, healthy receivers',
  run: ({ ground, options, say }) =>
    profiled(options.profile, say, async (profileDir) => {
      const ours = await startOurs(ground, { name: 'bench_deliveries', profileDir });
      const redis = await startRedis(ground, say);
      const stores = startReceivers();
      const { healthy: urls } = await stores.listen(receivers);
      const count = Math.round(options.seconds * perSecond);
      const senders = await startSenders({ ground, options, say }, redis);
      try {
        const store = await createStore(ours.databaseUrl);
        const fill = (as: 'committed' | 'due') =>
          fillDeliveries(ours.databaseUrl, { storeId: store.id, count, urls, as });
        const all = [
          byUs('ours', ours, () => fill('committed')),
          byUs('ours, from the ledger', ours, () => fill('due')),
          ...senders.map((sender) => bySender(sender, count, urls)),
        ];
        const figures = await compare({ ground, options, say }, stores, all, count);
        return {
          conditions: [
            `${count} webhooks a round to ${receivers} receivers, ${options.rounds} rounds in turns after one of warm-up; at most 256 under way on every side`,
            'the rate is from the first arrival to the last, once all of them lie ready',
            'ours: from committed events, through the sweep of the outbox, JetStream, the ledger and the records of attempts; from the ledger: once deliveries are due',
          ],
          figures,
          verdicts: verdictsOf(figures),
          notes: redis ? [] : ['bullmq is left out: there is no redis-server here'],
        };
      } finally {
        for (const sender of senders) await sender.stop();
        await redis?.stop();
        await ours.stop();
        await stores.stop();
        await ground.dropDatabase(ours.database);
      }
    }),
};

async function startSenders({ ground }: BenchContext, redis: Redis | undefined): Promise<Sender[]> {
  const started: Sender[] = [];
  for (const name of ['undici', ...queues]) {
    if (name === 'bullmq' && !redis) continue;
    const sender = await startSender(ground, name, redis && { REDIS_URL: redis.url });
    const idle = { readyMs: Number.NaN, stop: async () => {} };
    if (name === 'bullmq' && redis) sender.processes.push({ name: 'redis', pid: redis.pid, ...idle });
    started.push(sender);
  }
  return started;
}

/** Our processes stand still while their work is laid ready. */
function byUs(name: string, side: Ours, fill: () => Promise<void>): Delivering {
  const signal = (what: 'SIGSTOP' | 'SIGCONT') => {
    for (const { pid } of side.processes) process.kill(pid, what);
  };
  const prepare = async () => {
    signal('SIGSTOP');
    await fill();
  };
  return { name, side, prepare, go: () => signal('SIGCONT'), after: async () => {} };
}

function bySender(sender: Sender, count: number, urls: string[]): Delivering {
  const prepare = () => sender.fill(count, urls);
  return { name: sender.name, side: sender, prepare, go: sender.work, after: sender.pause };
}

async function compare(
  { ground, options, say }: BenchContext,
  stores: Receivers,
  all: readonly Delivering[],
  count: number,
): Promise<Figure[]> {
  const turns = all.map(({ name, side, prepare, go, after }) => ({
    name,
    run: async () => {
      await rest(ground, side);
      await prepare();
      const measured = await measure(ground, side, async () => {
        const before = await stores.reset();
        go();
        const report = await stores.waitFor(count);
        if (report.count < count) throw new Error(`${name}: only ${report.count} of ${count} arrived`);
        const value = (count / (report.lastMs - report.firstMs)) * 1_000;
        say(`  ${Math.round(value)}/s`);
        return { operations: count, value, cpu: { receivers: report.cpuSeconds - before.cpuSeconds } };
      });
      await after();
      return measured;
    },
  }));
  const outcomes = await interleave(turns, options.rounds, say);
  return all.map(({ name }) => figureOf(name, { what: 'webhooks', unit: '/s' }, outcomes.get(name) ?? []));
}

function verdictsOf(figures: readonly Figure[]): Verdict[] {
  const named = (name: string) => figures.find(({ side }) => side === name);
  const ours = named('ours');
  const best = bestOf(figures.filter(({ side }) => queues.includes(side)));
  const raw = named('undici');
  return [
    ...(ours && best ? [judgeRatio('webhooks/s', [ours, best], { atLeast: 2 })] : []),
    ...(ours && raw ? [judgeRatio('webhooks/s', [ours, raw], { atLeast: 0.5 })] : []),
  ];
}
