import { setTimeout as delay } from 'node:timers/promises';
import { adminKey } from '@payments/testing/service-settings';
import { clientsOf } from './ask.ts';
import { planFaults } from './faults/all.ts';
import type { Fault, Scene } from './faults/fault.ts';
import { type Happening, letHappen } from './faults/happen.ts';
import { watchMachine } from './faults/starved.ts';
import { followFeeds, runLoad } from './load/load.ts';
import { addPeople, openStores } from './load/stores.ts';
import type { World } from './load/world.ts';
import { type Observations, openObservations } from './observations.ts';
import type { AttackOptions } from './options.ts';
import { judge } from './promises/all.ts';
import { seededRandom } from './random.ts';
import { startReceivers } from './receivers/receivers.ts';
import { startBacking } from './system/backing.ts';
import { startCluster } from './system/cluster.ts';
import { type AttackedSystem, startSystem } from './system/system.ts';
import { collectEvidence } from './verdict/collect-evidence.ts';
import { type Report, reportOf } from './verdict/report.ts';
import { untilSettled, untilTold } from './verdict/settle.ts';
import { storyOfSmallest } from './verdict/story.ts';
import { watchRepeats } from './watch-repeats.ts';

export type Run = AttackOptions & {
  /** The workspace whose sources run. */
  sources: string;
  dispatchers?: number;
  /** Seconds between the starts of two faults, from and to. */
  pauseSeconds?: readonly [number, number];
  /** Targets that no fault hits, by name. */
  spared?: readonly string[];
  /** Settings of the services beyond those of every run. */
  env?: Record<string, string>;
  /** Ends the run early. */
  signal?: AbortSignal;
  /** The services' log level; their lines go into the story. */
  logLevel?: string;
  /** Starts with the load; the returned function ends it. */
  alongside?: (stage: Stage) => () => void;
};

/** Starts the system, attacks it, lets it recover, judges it, and ends it. */
export async function runAttack(run: Run, tell: (line: string) => void): Promise<Report> {
  const observations = openObservations();
  const system = await startSystem({
    sources: run.sources,
    dispatchers: run.dispatchers ?? 3,
    startBacking: run.cluster ? startCluster : startBacking,
    logLevel: run.logLevel ?? 'info',
    ...(run.env && { env: run.env }),
    onCrash: (says) => observations.breaches.push({ promise: 7, says }),
  });
  const random = seededRandom(run.seed);
  const receivers = await startReceivers(observations, random.fork('receivers'));
  try {
    const world = worldOf(system, observations, { random: random.fork('load'), receivers });
    await openStores(world);
    await addPeople(world);
    return await attack(run, { system, world }, tell);
  } finally {
    await system.stop();
    await receivers.close();
  }
}

export type Stage = { system: AttackedSystem; world: World & { end(): void } };

export function worldOf(
  system: AttackedSystem,
  observations: Observations,
  rest: Pick<World, 'random' | 'receivers'>,
): Stage['world'] {
  let over = false;
  const end = () => {
    over = true;
  };
  return {
    ...clientsOf(observations, system, adminKey),
    observations,
    expiresMs: system.expiresMs,
    isOver: () => over,
    end,
    ...rest,
  };
}

async function attack(run: Run, { system, world }: Stage, tell: (line: string) => void): Promise<Report> {
  const { observations, receivers } = world;
  const startedAt = Date.now();
  const planned = planFaults(seededRandom(run.seed).fork('faults'), {
    names: run.faults,
    seconds: run.seconds,
    ...(run.pauseSeconds && { pauseSeconds: run.pauseSeconds }),
  });
  const scene = { system, receivers };
  const impossible = planned.map(({ fault }) => fault).filter((fault) => isImpossible(fault, scene));
  for (const { name } of new Set(impossible)) tell(`left out: ${name} can’t be made on this machine`);
  const happening = letHappen(scene, planned, world.isOver, run.spared);
  const endWatch = watchMachine(happening.windows);
  const progress = setInterval(() => tell(progressOf(observations, happening, startedAt, run)), 5_000);
  await untilOver(run, { system, world }, happening).finally(() => clearInterval(progress));
  receivers.heal();
  const { ms: recoveryMs, left } = await untilSettled(world, tell);
  tell('all faults are over; asking every side for every payment');
  const evidence = await collectEvidence(world);
  observations.mails = await untilTold(system.mail, evidence);
  endWatch();
  const { windows } = happening;
  const breaches = judge({ observations, evidence, windows, left });
  const logs = [...system.apis, ...system.dispatchers].flatMap((replica) => replica.lines());
  const seen = { observations, evidence, windows, logs };
  const story = storyOfSmallest(breaches, seen);
  return reportOf(run, { ...seen, breaches, story, recoveryMs, startedAt });
}

/** Runs load and faults until the time is up, and waits for every story to end. */
async function untilOver(run: Run, { system, world }: Stage, happening: Happening): Promise<void> {
  const load = runLoad(world, run.rate);
  const watch = Promise.all([watchRepeats(world), followFeeds(world)]);
  const endAlongside = run.alongside?.({ system, world });
  await Promise.race([
    delay(run.seconds * 1_000, undefined, { signal: run.signal }),
    happening.done.then(() => new Promise(() => {})),
  ]);
  world.end();
  endAlongside?.();
  await Promise.all([happening.done, load, watch]);
}

const isImpossible = (fault: Fault, scene: Scene) => fault.targets(scene).length === 0;

function progressOf(
  { payments, visits, failures, breaches }: Observations,
  happening: Happening,
  from: number,
  run: Run,
) {
  const seconds = Math.round((Date.now() - from) / 1_000);
  const now = happening.underWay().join(', ') || 'calm';
  return `${seconds}/${run.seconds} s  ${payments.size} payments, ${visits.length} webhooks, ${failures.length} failed requests, ${breaches.length} breaches  ${now}`;
}
