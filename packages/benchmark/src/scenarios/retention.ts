import { query } from '@payments/testing/sessions';
import { fillDeliveries, settle } from '../fill-tables.ts';
import { type Figure, ratioFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const month = 1_000_000;
const perSecond = 200;
// Older than the default of RETENTION_DAYS.
const daysAgo = 91;
const startSeconds = 3;

/** Creations while a dispatcher deletes a month of deliveries, compared with one that keeps the same month. */
export const retention: Scenario = {
  name: 'retention',
  title: 'creations while a month of 1,000,000 deliveries is deleted',
  run: async (bench) => {
    const { ground, options, say } = bench;
    await using ours = await startOurs(ground);
    await using generator = startGenerator();
    // The p99 of a thousand sales hangs on ten of them.
    const seconds = 3 * options.seconds;
    const sales = { ...creations(ours), connections: options.connections, rate: perSecond };
    const p99 = async (env: Record<string, string>) => {
      await ours.dispatcher.start(env);
      // After a start and after new statistics, the first statements are slow on both sides.
      await generator.run({ ...sales, until: { seconds: startSeconds } });
      const ms = (await generator.run({ ...sales, until: { seconds } })).p99Ms;
      await ours.dispatcher.terminate();
      return ms;
    };
    const deleted: Figure = { side: 'dispatcher', what: 'deliveries deleted', unit: '/s', values: [] };
    const size: Figure = { side: 'deliveries', what: 'table with a month', unit: 'MB', values: [] };
    const kept = async () => {
      say(`  filling: ${month} deliveries`);
      await fillDeliveries(ours.databaseUrl, month, daysAgo);
      size.values.push(await tableMb(ours));
      return p99({ RETENTION_DAYS: '3650' });
    };
    const beside = async () => {
      await settle(ours.databaseUrl);
      const begun = performance.now();
      const ms = await p99({});
      const left = await leftOf(ours);
      deleted.values.push((1_000 * (month - left)) / (performance.now() - begun));
      await query(ours.databaseUrl, `delete from deliveries where ${isOld}`);
      // As autovacuum does within a minute: the next month takes the place of this one.
      await query(ours.databaseUrl, 'vacuum deliveries');
      return ms;
    };
    const figures = await inTurns(bench, { what: 'creations, p99', unit: 'ms' }, [
      { side: 'no retention', run: kept },
      { side: 'beside retention', run: beside },
    ]);
    const [none, deleting] = figures as [Figure, Figure];
    return {
      floors: [ratioFloor('creations beside retention, p99', [deleting, none], { atMost: 1.2 })],
      figures: [...figures, deleted, size],
    };
  },
};

async function tableMb({ databaseUrl }: Ours): Promise<number> {
  const [row] = await query<{ mb: number }>(
    databaseUrl,
    `select pg_total_relation_size('deliveries') / 1048576.0 as mb`,
  );
  return Number(row?.mb);
}

const isOld = `created_at < now() - interval '90 days'`;

async function leftOf({ databaseUrl }: Ours): Promise<number> {
  const counted = `select count(*) as left from deliveries where ${isOld}`;
  const [row] = await query<{ left: string }>(databaseUrl, counted);
  return Number(row?.left);
}
