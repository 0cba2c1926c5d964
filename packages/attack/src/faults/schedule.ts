import type { Random } from '../random.ts';
import { allFaults } from './all.ts';
import type { Fault } from './fault.ts';

/** A planned fault: its start and duration in milliseconds. */
export type Planned = { fault: Fault; atMs: number; lastsMs: number; random: Random };

const firstMs = 2_000;

/**
 * Plans the faults: each one once before any repeats, one every few seconds, so that some overlap.
 * @param pauseSeconds between the starts of two faults, from and to
 */
export function planFaults(
  random: Random,
  {
    names,
    seconds,
    pauseSeconds = [1.5, 4],
  }: { names: readonly string[]; seconds: number; pauseSeconds?: readonly [number, number] },
): Planned[] {
  const faults = allFaults.filter(({ name }) => names.includes(name));
  const planned: Planned[] = [];
  if (faults.length === 0) return planned;
  let round: Fault[] = [];
  for (let atMs = firstMs; atMs < seconds * 1_000; atMs += random.between(...pauseSeconds) * 1_000) {
    if (round.length === 0) round = random.shuffle(faults);
    const fault = round.pop()!;
    const lastsMs = Math.round(random.between(...fault.lasts) * 1_000);
    planned.push({ fault, atMs: Math.round(atMs), lastsMs, random: random.fork(`${planned.length}`) });
  }
  return planned;
}
