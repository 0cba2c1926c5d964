import type { SingleServers } from '../system/backing.ts';
import type { Fault, Undo } from './fault.ts';

const onBacking = (
  name: string,
  kind: 'postgres' | 'nats',
  lasts: Fault['lasts'],
  hit: (servers: SingleServers) => Promise<Undo>,
): Fault => ({
  name,
  lasts,
  targets: ({ system: { backing } }) => {
    const { single } = backing;
    return single ? [{ name: kind, kind, hit: () => hit(single) }] : [];
  },
});

const endedBy = (kind: 'postgres' | 'nats', signal: NodeJS.Signals) => async (servers: SingleServers) => {
  await servers[kind].end(signal);
  return () => servers[kind].start();
};

export const postgresFaults: Fault[] = [
  onBacking('postgres-restarted', 'postgres', [0.5, 3], endedBy('postgres', 'SIGINT')),
  // PostgreSQL's immediate shutdown: no checkpoint, and every session ends.
  onBacking('postgres-immediate', 'postgres', [0.5, 3], endedBy('postgres', 'SIGQUIT')),
  onBacking('postgres-killed', 'postgres', [0.5, 3], endedBy('postgres', 'SIGKILL')),
];

const dataDeleted = async ({ nats, deleteNatsData }: SingleServers): Promise<Undo> => {
  await nats.end('SIGKILL');
  await deleteNatsData();
  return () => nats.start();
};

const frozen = async ({ nats }: SingleServers): Promise<Undo> => {
  process.kill(nats.pid(), 'SIGSTOP');
  return async () => void process.kill(nats.pid(), 'SIGCONT');
};

/** After a full disk, JetStream stays off until a restart. */
const diskFull =
  (disk: NonNullable<SingleServers['natsDisk']>) =>
  async ({ nats }: SingleServers): Promise<Undo> => {
    await disk.fill();
    return async () => {
      await disk.free();
      await nats.end('SIGKILL');
      await nats.start();
    };
  };

export const natsFaults: Fault[] = [
  onBacking('nats-restarted', 'nats', [0.5, 4], endedBy('nats', 'SIGTERM')),
  onBacking('nats-killed', 'nats', [0.5, 4], endedBy('nats', 'SIGKILL')),
  onBacking('nats-frozen', 'nats', [1, 8], frozen),
  onBacking('nats-data-deleted', 'nats', [0.5, 2], dataDeleted),
  {
    name: 'nats-disk-full',
    lasts: [3, 8],
    targets: ({ system }) => {
      const { single } = system.backing;
      const disk = single?.natsDisk;
      return disk ? [{ name: 'nats', kind: 'nats', hit: () => diskFull(disk)(single) }] : [];
    },
  },
];
