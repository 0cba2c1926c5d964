import { setTimeout as delay } from 'node:timers/promises';
import { query } from '@payments/testing/sessions';
import { type Ground, prepareGround } from '../ground.ts';
import { type Receivers, startReceivers } from '../load/receivers.ts';
import { BenchError } from '../options.ts';
import { number } from '../report.ts';
import { startOurs } from '../sides/ours.ts';
import { median } from '../statistics.ts';
import { surroundings } from '../surroundings.ts';
import { startBare } from './bare/start.ts';
import {
  forgetStatements,
  type Gauges,
  type Measured,
  memoryOf,
  readGauges,
  readStatements,
} from './gauges.ts';
import { type CostOptions, readOptions, usage } from './options.ts';
import { type Selling, sell } from './sell.ts';

/** `npm run cost`: what one payment costs in each process, at several rates. */
type Row = Record<string, number>;

// The outbox' rows, the last record and the totals follow within two rounds of the scans.
const restMs = 5_000;
const countingSettings = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track_planning=on',
];
const warmUp = { rate: 50, seconds: 10 };

const say = (line: string) => void process.stderr.write(`${line}\n`);

try {
  const options = readOptions(process.argv.slice(2));
  if (options) await measureAll(options);
  else console.log(usage);
} catch (error) {
  const isExpected = [BenchError, RangeError, TypeError].some((kind) => error instanceof kind);
  console.error(isExpected ? (error as Error).message : error);
  process.exitCode = 1;
}
process.exit();

async function measureAll(options: CostOptions): Promise<void> {
  const rows = new Map<string, Row[]>();
  for (const [name, value] of Object.entries(surroundings())) console.log(`- ${name}: ${value}`);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [name, row] of await measureRound(options)) {
      say(
        `round ${round}, ${name}: ${JSON.stringify(row, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value))}`,
      );
      rows.set(name, [...(rows.get(name) ?? []), row]);
    }
  }
  print(rows);
}

/** With a bank of its own: a new system would read all Pix that another one's bank has received. */
async function measureRound(options: CostOptions): Promise<Map<string, Row>> {
  const ground = await prepareGround(countingSettings);
  try {
    return await measureOnce(ground, options);
  } finally {
    await ground.close();
  }
}

/** Every rate in a system of its own run, without work first. */
async function measureOnce(ground: Ground, options: CostOptions): Promise<Map<string, Row>> {
  const env = options.profile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` } : {};
  await using system = options.bare ? await startBare(ground, env) : await startWhole(ground, env);
  await using receivers = startReceivers();
  const rows = new Map<string, Row>();
  await query(system.databaseUrl, 'create extension pg_stat_statements');
  const { healthy: webhookUrls } = await receivers.listen(4);
  const selling = { ...system, bankUrl: ground.bankUrl, webhookUrls, unpaid: options.unpaid };
  await sellAndWait(receivers, { ...selling, ...warmUp });
  await delay(restMs);
  rows.set('none', await withoutWork(system, options));
  for (const rate of options.rates) {
    const row = await costOf(system, options, () =>
      sellAndWait(receivers, { ...selling, rate, seconds: options.seconds }),
    );
    rows.set(rate === 0 ? 'as many as 50 connections create' : String(rate), row);
  }
  return rows;
}

async function startWhole(ground: Ground, env: Record<string, string>) {
  const ours = await startOurs(ground, env);
  await ours.dispatcher.start();
  return ours;
}

async function sellAndWait(receivers: Receivers, selling: Selling): Promise<{ sold: number; ms: number }> {
  await receivers.reset();
  const from = performance.now();
  const sold = await sell(selling);
  await receivers.waitFor(selling.unpaid ? sold : sold * 2);
  return { sold, ms: performance.now() - from };
}

/** Shares of a core in percent, and per second. */
async function withoutWork(system: Measured, { seconds, statements }: CostOptions): Promise<Row> {
  await forgetStatements(system.databaseUrl);
  const used = await during(system, () => delay(seconds * 1_000));
  await printStatements(system, statements, 'a second', seconds);
  const cpu = (ms: number) => ms / seconds / 10;
  return {
    API: cpu(used.api),
    dispatcher: cpu(used.dispatcher),
    PostgreSQL: cpu(used.postgres),
    statements: used.statements / seconds,
    transactions: used.transactions / seconds,
    WAL: used.walKb / seconds,
    'bank calls': used.bankCalls / seconds,
    ...memory(system),
  };
}

/** Milliseconds and counts of one payment. */
async function costOf(
  system: Measured,
  { statements }: CostOptions,
  work: () => Promise<{ sold: number; ms: number }>,
): Promise<Row> {
  let done = { sold: 0, ms: 0 };
  await forgetStatements(system.databaseUrl);
  const used = await during(system, async () => {
    done = await work();
  });
  await printStatements(system, statements, 'a payment', done.sold);
  const each = (all: number) => all / done.sold;
  const row = {
    API: each(used.api),
    dispatcher: each(used.dispatcher),
    PostgreSQL: each(used.postgres),
    statements: each(used.statements),
    transactions: each(used.transactions),
    WAL: each(used.walKb),
    'bank calls': each(used.bankCalls),
    ...memory(system),
    'payments a second': (done.sold / done.ms) * 1_000,
  };
  await delay(restMs);
  return row;
}

function memory(system: Measured): Row {
  const { now, peak } = memoryOf(system);
  return {
    'API, MB': now.api,
    'at most': peak.api,
    'dispatcher, MB': now.dispatcher,
    'at most ': peak.dispatcher,
  };
}

async function during(system: Measured, act: () => Promise<unknown>): Promise<Gauges> {
  const before = await readGauges(system);
  await act();
  const after = await readGauges(system);
  const names = Object.keys(after) as (keyof Gauges)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as Gauges;
}

async function printStatements(
  { databaseUrl }: Measured,
  limit: number,
  per: string,
  count: number,
): Promise<void> {
  if (limit === 0) return;
  console.log(`\n| calls ${per} | ms | plans | ms | WAL, bytes | statement |\n|---|---|---|---|---|---|`);
  for (const { calls, ms, plans, planMs, walBytes, query } of await readStatements(databaseUrl, limit)) {
    const figures = [calls, ms, plans, planMs, walBytes].map((total) => number(total / count));
    console.log(`| ${figures.join(' | ')} | \`${query.slice(0, 130)}\` |`);
  }
}

/** Medians over the rounds. */
function print(rows: Map<string, Row[]>): void {
  const names = Object.keys([...rows.values()].at(-1)![0]!);
  console.log(`\n| payments a second | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`);
  for (const [name, rounds] of rows) {
    const cells = names.map((column) => number(median(rounds.map((row) => row[column] ?? Number.NaN))));
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}
