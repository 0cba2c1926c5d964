import { setTimeout as delay } from 'node:timers/promises';
import type { BenchProcess } from './bench-process.ts';
import type { Ground } from './ground.ts';
import { type CpuUsage, cpuSeconds, peakMb } from './process-usage.ts';

/** One of the things that are compared. */
export type Side = {
  name: string;
  url: string;
  /** Name and URL of its database. */
  database: string;
  databaseUrl: string;
  processes: BenchProcess[];
  stop(): Promise<void>;
};

export type Work = { operations: number; cpu: CpuUsage };

export type Measured<Outcome> = {
  outcome: Outcome;
  /** CPU seconds for 1000 operations, by process. */
  cpu: CpuUsage;
  peakMb: Record<string, number>;
};

/**
 * Runs work on a side and says what it cost, with what the side goes on doing for it until it is at rest.
 * @param work says how many operations it made, and what the load itself used
 */
export async function measure<Outcome extends Work>(
  ground: Ground,
  side: Side,
  work: () => Promise<Outcome>,
): Promise<Measured<Outcome>> {
  await rest(ground, side);
  const before = usage(ground, side);
  const outcome = await work();
  await rest(ground, side);
  const after = usage(ground, side);
  const thousands = outcome.operations / 1_000;
  const cpu = Object.keys(after).map((name) => [
    name,
    ((after[name] ?? 0) - (before[name] ?? 0)) / thousands,
  ]);
  const load = Object.entries(outcome.cpu).map(([name, seconds]) => [name, seconds / thousands]);
  return {
    outcome,
    cpu: Object.fromEntries([...cpu, ...load]),
    peakMb: Object.fromEntries(side.processes.map(({ name, pid }) => [name, peakMb(pid)])),
  };
}

function usage(ground: Ground, side: Side): CpuUsage {
  const own = side.processes.map(({ name, pid }) => [name, cpuSeconds(pid)]);
  return { ...Object.fromEntries(own), ...ground.usage(side.database) };
}

const lookMs = 250;
const restShare = 0.1;
const patienceMs = 30_000;

/** Resolves when the side and what it stands on have next to nothing left to do. */
export async function rest(ground: Ground, side: Side): Promise<void> {
  const used = () => {
    const { PSP: _psp, 'PostgreSQL rest': _background, ...rest } = usage(ground, side);
    return Object.values(rest).reduce((sum, seconds) => sum + seconds, 0);
  };
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
    const before = used();
    await delay(lookMs);
    if (used() - before <= (restShare * lookMs) / 1_000) return;
  }
}
