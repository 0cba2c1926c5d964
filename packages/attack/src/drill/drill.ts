import { setTimeout as delay } from 'node:timers/promises';
import { runRestoreSteps } from '@payments/testing/archived-database';
import { query } from '@payments/testing/sessions';
import type { Window } from '../faults/fault.ts';
import { followFeeds, runLoad } from '../load/load.ts';
import { openStores } from '../load/stores.ts';
import { type Observations, openObservations, type SeenPayment } from '../observations.ts';
import { seededRandom } from '../random.ts';
import { startReceivers } from '../receivers/receivers.ts';
import { type Stage, worldOf } from '../run.ts';
import { root } from '../sources.ts';
import { startSystem } from '../system/system.ts';
import { collectEvidence } from '../verdict/collect-evidence.ts';
import { untilSettled } from '../verdict/settle.ts';
import { cancelAtBank, createLasting, payLost, untilTogether } from './apart.ts';
import { lostEvents } from './lost-events.ts';
import type { DrillOptions } from './options.ts';
import { type Recoverable, startArchive, startAsynchronousStandby } from './recoverable.ts';
import { type DrillReport, reportOf } from './report.ts';

type Tell = (line: string) => void;

const dispatchers = 2;
const week = '604800';
const searchMs = 120_000;
// Banco do Brasil lists a Pix half a minute late.
const listLagMs = 31_000;

/** Starts the system, loses its database under load, restores it as deploy/restore.md says, and judges the result. */
export async function runDrill(options: DrillOptions, tell: Tell): Promise<DrillReport> {
  const observations = openObservations();
  let database: Recoverable | undefined;
  const system = await startSystem({
    sources: root,
    dispatchers,
    logLevel: 'info',
    startBacking: async (dir) => {
      database = await (options.standby ? startAsynchronousStandby(dir) : startArchive(dir));
      return database.backing;
    },
    onCrash: (says) => observations.breaches.push({ promise: 7, says }),
  });
  const random = seededRandom(options.seed);
  const receivers = await startReceivers(observations, random.fork('receivers'));
  try {
    const world = worldOf(system, observations, { random: random.fork('load'), receivers });
    await openStores(world);
    return await drill(options, { system, world }, database as Recoverable, tell);
  } finally {
    await system.stop();
    await receivers.close();
  }
}

async function drill(
  options: DrillOptions,
  stage: Stage,
  database: Recoverable,
  tell: Tell,
): Promise<DrillReport> {
  const { system, world } = stage;
  await database.prepare();
  const { moment, lostAt, unpaid } = await loseDatabase(options, stage, database, tell);

  const restored = await database.recover(moment);
  await untilWritable(restored);
  tell(
    `back as at ${moment.toISOString()}, ${Math.round((lostAt - moment.getTime()) / 1_000)} s before the loss`,
  );
  await runRestoreSteps(restored);
  // No restore of a person's is so quick that a bank's list still lacks the last Pix before the loss.
  await delay(Math.max(0, lostAt + listLagMs - Date.now()));
  await restartServices(stage, { REVIEW_TIMEOUT_SECONDS: week, RECOVER_PAYMENTS: 'true' });
  const startedAt = Date.now();
  await replaceTokens(stage);
  const half = unpaid.length / 2;
  const recovered = await payLost(world, unpaid.slice(0, half));
  await untilSearched(restored, system.banks.length);
  const together = await untilTogether(world, startedAt);
  tell('the banks were searched; people have looked at the reviews');
  await restartServices(stage, {});
  const held = await payLost(world, unpaid.slice(half));
  world.observations.breaches.push(...[recovered, together, held].flatMap(({ breaches }) => breaches));
  world.receivers.heal();
  const { left } = await untilSettled(world, tell);
  const lost = await lostEvents(system.backing, moment);
  const evidence = await collectEvidence(world);
  const window: Window = {
    fault: 'database-lost',
    target: 'postgres',
    kind: 'postgres',
    from: moment.getTime(),
    to: startedAt,
  };
  const times = { moment: moment.getTime(), lostAt, startedAt };
  const waits = { recovered: recovered.ms, together: together.ms, held: held.ms };
  const logs = [...system.apis, ...system.dispatchers].flatMap((replica) => replica.lines());
  return reportOf({
    observations: world.observations,
    evidence,
    windows: [window],
    left,
    lost,
    times,
    waits,
    logs,
  });
}

/** Runs the load to its end; the database is lost amid it. The banks go on, and so do payers who have a code. */
async function loseDatabase(
  { seconds, lost, rate }: DrillOptions,
  { system, world }: Stage,
  database: Recoverable,
  tell: Tell,
): Promise<{ moment: Date; lostAt: number; unpaid: SeenPayment[] }> {
  const load = Promise.all([runLoad(world, rate), followFeeds(world)]);
  const progress = setInterval(() => tell(progressOf(world.observations)), 15_000);
  await delay((seconds - lost) * 1_000);
  const cancelled = await createLasting(world, 'cancelled after the moment');
  const moment = await database.moment();
  tell('the database will come back as it is at this moment');
  const losing = delay(lost * 1_000);
  await cancelAtBank(world, cancelled);
  const unpaid = await createLasting(world, 'paid after the restore');
  await losing;
  await database.lose([...system.apis, ...system.dispatchers]);
  const lostAt = Date.now();
  tell('the database is lost');
  world.end();
  await load;
  clearInterval(progress);
  return { moment, lostAt, unpaid };
}

const progressOf = ({ payments, visits }: Observations) =>
  `${payments.size} payments, ${visits.length} webhooks`;

/** Starts all services with these settings beside the usual ones; those that run are terminated first. */
async function restartServices({ system }: Stage, env: Record<string, string>): Promise<void> {
  const services = [...system.apis, ...system.dispatchers];
  await Promise.all(services.map((replica) => replica.terminate()));
  await Promise.all(services.map((replica) => replica.start(env)));
}

/** Tokens made after the moment are unknown: every store gets a new one. */
async function replaceTokens({ world }: Stage): Promise<void> {
  for (const store of world.observations.stores) {
    const path = `/admin/stores/${store.id}/tokens`;
    const answer = await world.admin<{ id: string; token: string }>('rotate', path, {});
    if (answer.status !== 201) throw new Error(`${path} was answered ${answer.status}`);
    [store.token, store.tokenId] = [answer.body.token, answer.body.id];
  }
}

type Done = { done: boolean };

async function untilSearched(url: string, banks: number): Promise<void> {
  await until(searchMs, 'the banks to be searched', async () => {
    const sql = `select (select count(*) from cursors where name = 'late-pix') = ${banks} as done`;
    return (await query<Done>(url, sql))[0]?.done === true;
  });
}

async function untilWritable(url: string): Promise<void> {
  await until(searchMs, 'the end of the recovery', async () => {
    const rows = await query<Done>(url, 'select not pg_is_in_recovery() as done').catch(() => []);
    return rows[0]?.done === true;
  });
}

async function until(timeoutMs: number, what: string, look: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !(await look()); await delay(200))
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
}
