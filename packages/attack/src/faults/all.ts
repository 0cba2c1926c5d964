import { natsFaults, postgresFaults } from './backing.ts';
import { bankFaults } from './banks.ts';
import { clusterFaults } from './cluster.ts';
import type { Fault } from './fault.ts';
import { floodFaults } from './floods.ts';
import { linkFaults, partitions } from './links.ts';
import { mailFaults } from './mail.ts';
import { oneStoreFaults } from './one-store.ts';
import { processFaults } from './processes.ts';
import { pspFaults } from './psp.ts';
import { receiverFaults } from './receivers.ts';

const ofSingleServers = [...postgresFaults, ...natsFaults];
const ofClusters = [...clusterFaults, ...partitions];

/** All faults. */
export const allFaults: readonly Fault[] = [
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
