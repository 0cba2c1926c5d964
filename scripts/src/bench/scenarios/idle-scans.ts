import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fillPayments } from '../fill/payments.ts';
import { query } from '../ground.ts';
import { accessesOf, type LoggedPlan, nodesOf, readPlans } from '../plans.ts';
import { plainFigure } from '../rates.ts';
import { judgeFigure } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { createStore } from '../stores.ts';

const watchedMs = 25_000;
const largeFrom = 10_000;

/** What API and dispatcher ask a large database while there is nothing to do. */
export const idleScans: Scenario = {
  name: 'idle-scans',
  title: 'statements of an idle service over many payments',
  run: async ({ ground, options, say }) => {
    const databaseUrl = await ground.createDatabase('bench_idle', true);
    const store = await createStore(databaseUrl);
    say(`filling: ${options.payments} payments with events and deliveries`);
    await fillPayments(databaseUrl, { storeId: store.id, count: options.payments, withDeliveries: true });
    // With the database's name: settings for its connections alone.
    for (const setting of explained) await query(databaseUrl, `alter database bench_idle set ${setting}`);
    const logged = () => readFileSync(ground.postgresLog, 'utf8').length;
    const ours = await startOurs(ground, { name: 'bench_idle', databaseUrl });
    try {
      await delay(2_000);
      const from = logged();
      await delay(watchedMs);
      const plans = readPlans(readFileSync(ground.postgresLog, 'utf8').slice(from));
      const large = await largeTables(databaseUrl);
      return {
        conditions: [
          `${options.payments} payments, each with an event and a delivery; API and dispatcher idle for ${watchedMs / 1_000} s, every statement explained as it ran (auto_explain, analyze, buffers)`,
          'the time is that of the database; timing each node is part of it',
        ],
        ...describe(plans, large),
      };
    } finally {
      await ours.stop();
      await ground.dropDatabase('bench_idle');
    }
  },
};

const explained = [
  "session_preload_libraries = 'auto_explain'",
  'auto_explain.log_min_duration = 0',
  'auto_explain.log_analyze = on',
  'auto_explain.log_buffers = on',
  "auto_explain.log_format = 'json'",
];

function describe(plans: readonly LoggedPlan[], large: ReadonlySet<string>) {
  const byStatement = Map.groupBy(plans, ({ statement }) => statement);
  const figures = [...byStatement].map(([statement, runs]) =>
    plainFigure(
      shorten(statement),
      'time in the database',
      'ms',
      runs.map(({ ms }) => ms),
    ),
  );
  const sequential = plans.filter(({ plan }) =>
    nodesOf(plan).some((node) => node['Node Type'] === 'Seq Scan' && large.has(node['Relation Name'] ?? '')),
  );
  const slowest = plainFigure('slowest statement', 'time', 'ms', [Math.max(...plans.map(({ ms }) => ms))]);
  const reads = plainFigure('sequential', 'reads', 'ms', [sequential.length]);
  return {
    figures,
    verdicts: [
      judgeFigure('slowest statement of an idle service', slowest, 'ms', { atMost: 5 }),
      {
        ...judgeFigure('statements that read a large table without an index', reads, 'ms', { atMost: 0 }),
        unit: 'ratio' as const,
      },
    ],
    notes: [...byStatement].map(([statement, [first]]) => {
      const { plan } = first!;
      const blocks = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return `\`${shorten(statement)}\`: ${blocks} blocks; ${accessesOf(plan).join(', ') || 'no table'}`;
    }),
  };
}

function shorten(statement: string): string {
  return statement.length > 150 ? `${statement.slice(0, 147)}…` : statement;
}

async function largeTables(databaseUrl: string): Promise<Set<string>> {
  const rows = await query<{ relname: string }>(
    databaseUrl,
    'select relname from pg_class where reltuples > $1',
    [largeFrom],
  );
  return new Set(rows.map(({ relname }) => relname));
}
