import { setTimeout as delay } from 'node:timers/promises';
import { type ReplicatedSystem, startReplicatedSystem } from '@payments/testing/replicated-system';
import { percentile } from '../statistics.ts';
import { countStatements, type Gauges, readGauges, startCountingPostgres } from './gauges.ts';
import { type ReplicasOptions, readOptions, usage } from './options.ts';
import { sell } from './sell.ts';

/** `npm run replicas`: what more replicas on one database cost. */
const heads = [
  'replicas of each',
  'payments/s',
  'creation p50, p99 (ms)',
  'webhooks',
  'connections',
  'transactions/s idle',
  'transactions a payment',
  'bank lists/min idle',
  'wake-ups a webhook',
  'looks',
  'claims',
  'looks/s idle',
  'CPU a payment (ms): APIs',
  'dispatchers',
  'PostgreSQL',
  'CPU idle (% of a core)',
];

try {
  const options = readOptions(process.argv.slice(2));
  if (options) {
    const postgres = await startCountingPostgres();
    process.env.TEST_POSTGRES_URL = postgres.url;
    console.log(row(heads));
    console.log(row(heads.map(() => '---')));
    for (const replicas of options.replicas) console.log(row(await measure(replicas, options)));
    await postgres.remove();
  } else console.log(usage);
} catch (error) {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();

async function measure(replicas: number, { rate, seconds }: ReplicasOptions): Promise<unknown[]> {
  // As in production: how often scans run, and probes come, is what an idle replica costs.
  const env = { SCAN_INTERVAL_SECONDS: '10' };
  const system = await startReplicatedSystem({ replicas, env, askEveryMs: 5_000 });
  try {
    await countStatements(system.databaseUrl);
    const idle = await during(system, () => delay(seconds * 1_000));
    const load = await during(system, () => sell(system, { rate, seconds }));
    const { created, webhooks, times, refused } = load.result;
    for (const [says, number] of Object.entries(refused))
      console.error(`${number} creations were answered ${says}`);
    const sorted = times.toSorted((a, b) => a - b);
    const aPayment = (total: number) => (created === 0 ? '–' : rounded(total / created));
    const moreThanIdle = (gauge: keyof Gauges) => load.used[gauge] - (idle.used[gauge] * load.ms) / idle.ms;
    const aWebhook = (total: number) => rounded(total / load.used.claimed);
    return [
      replicas,
      `${Math.round((created / seconds) * 10) / 10} of ${rate}`,
      created === 0 ? '–' : `${Math.round(percentile(sorted, 0.5))}, ${Math.round(percentile(sorted, 0.99))}`,
      `${webhooks} of ${created * 2}`,
      load.end.connections,
      Math.round(idle.used.transactions / seconds),
      aPayment(moreThanIdle('transactions')),
      Math.round((idle.used.bankLists / seconds) * 60),
      aWebhook(load.used.wakes),
      aWebhook(moreThanIdle('looks')),
      aWebhook(load.used.claims),
      Math.round(idle.used.looks / seconds),
      ...[moreThanIdle('apiCpu'), moreThanIdle('dispatcherCpu'), moreThanIdle('postgresCpu')].map((cpu) =>
        aPayment(cpu * 1_000),
      ),
      Math.round(((idle.used.apiCpu + idle.used.dispatcherCpu + idle.used.postgresCpu) / seconds) * 100),
    ];
  } finally {
    await system.stop();
  }
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100;
}

async function during<Result>(system: ReplicatedSystem, act: () => Promise<Result>) {
  const [from, begin] = [Date.now(), await readGauges(system)];
  const result = await act();
  const ms = Date.now() - from;
  const end = await readGauges(system);
  const used = Object.fromEntries(
    Object.entries(end).map(([name, value]) => [name, value - begin[name as keyof Gauges]]),
  ) as Gauges;
  return { result, used, end, ms };
}

function row(cells: readonly unknown[]): string {
  return `| ${cells.join(' | ')} |`;
}
