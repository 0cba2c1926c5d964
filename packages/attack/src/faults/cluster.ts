import { type Cluster, failOver } from '../system/cluster.ts';
import type { Fault, Undo } from './fault.ts';

const stream = 'PAYMENTS';

type Hit = (cluster: Cluster) => Promise<Undo>;

const onCluster = (
  name: string,
  lasts: Fault['lasts'],
  { hit, afterwards }: { hit: Hit; afterwards?: (cluster: Cluster) => Promise<void> },
): Fault => ({
  name,
  lasts,
  targets: ({ system: { backing } }) => {
    const { cluster } = backing;
    if (!cluster) return [];
    const kind = name.startsWith('primary') ? 'postgres' : 'nats';
    const later = afterwards && { afterwards: () => afterwards(cluster) };
    return [{ name: kind, kind, hit: () => hit(cluster), ...later }];
  },
});

const killed: Hit = async (cluster) => {
  await cluster.pair.primary.kill();
  return () => failOver(cluster);
};

const frozen: Hit = async (cluster) => {
  cluster.pair.freezePrimary();
  return () => failOver(cluster);
};

/** A switchover: read-only first, then stopped in order, so that the standby has all of it. */
const demoted: Hit = async (cluster) => {
  await cluster.pair.demotePrimary();
  return async () => {
    await cluster.pair.primary.stop();
    await failOver(cluster);
  };
};

const rebuilt = ({ pair }: Cluster) => pair.rebuildStandby();
const back = ({ pair }: Cluster) => pair.follow();

const leaderOf = ({ nats }: Cluster) =>
  nats.ask(async ({ streams }) => (await streams.info(stream)).cluster?.leader ?? '').catch(() => '');

const leaderKilled: Hit = async (cluster) => {
  const server = cluster.nats.servers.get(await leaderOf(cluster));
  await server?.kill();
  return async () => server?.start();
};

const leaderIsolated: Hit = async (cluster) => {
  const leader = await leaderOf(cluster);
  cluster.nats.isolate(leader, true);
  return async () => cluster.nats.isolate(leader, false);
};

/** They end with the promotion, or with the server's return. */
export const clusterFaults: Fault[] = [
  onCluster('primary-killed', [1, 4], { hit: killed, afterwards: rebuilt }),
  onCluster('primary-frozen', [1, 6], { hit: frozen, afterwards: rebuilt }),
  onCluster('primary-demoted', [0.5, 3], { hit: demoted, afterwards: back }),
  onCluster('nats-leader-killed', [1, 8], { hit: leaderKilled }),
  onCluster('nats-leader-isolated', [3, 10], { hit: leaderIsolated }),
];

/** These faults lose what an asynchronous commit had written. */
export const failovers = ['primary-killed', 'primary-frozen'];
