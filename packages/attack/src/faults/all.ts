import type { Random } from '../random.ts';
import { natsFaults, postgresFaults } from './backing.ts';
import { bankFaults } from './banks.ts';
import { clusterFaults } from './cluster.ts';
import type { Fault } from './fault.ts';
import { floodFaults } from './floods.ts';
import { linkFaults, partitions } from './links.ts';
import { oneStoreFaults } from './one-store.ts';
import { processFaults } from './processes.ts';
import { pspFaults } from './psp.ts';
import { mailFaults, receiverFaults } from './receivers.ts';

const ofSingleServers = [...postgresFaults, ...natsFaults];
const ofClusters = [...clusterFaults, ...partitions];

/** All faults. */
const allFaults: readonly Fault[] = [
  ...processFaults,
  ...ofSingleServers,
  ...ofClusters,
  ...linkFaults,
  ...pspFaults,
  ...bankFaults,
  ...receiverFaults,
  ...oneStoreFaults,
  ...floodFaults,
  ...mailFaults,
];

/** @returns the faults that single servers, or clusters, can have */
export function faultNames({ cluster }: { cluster: boolean }): string[] {
  const others: readonly Fault[] = cluster ? ofSingleServers : ofClusters;
  return allFaults.filter((fault) => !others.includes(fault)).map(({ name }) => name);
}

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
