import type { Backing } from '../system/backing.ts';
import type { Fault, Undo } from './fault.ts';

const onBacking = (
  name: string,
  kind: 'postgres' | 'nats',
  lasts: Fault['lasts'],
  hit: (backing: Backing) => Promise<Undo>,
): Fault => ({
  name,
  lasts,
  targets: ({ system }) => [{ name: kind, kind, hit: () => hit(system.backing) }],
});

const endedBy = (kind: 'postgres' | 'nats', signal: NodeJS.Signals) => async (backing: Backing) => {
  await backing[kind].end(signal);
  return () => backing[kind].start();
};

export const postgresFaults: Fault[] = [
  onBacking('postgres-restarted', 'postgres', [0.5, 3], endedBy('postgres', 'SIGINT')),
  // PostgreSQL's immediate shutdown: no checkpoint, and every session ends.
  onBacking('postgres-immediate', 'postgres', [0.5, 3], endedBy('postgres', 'SIGQUIT')),
  onBacking('postgres-killed', 'postgres', [0.5, 3], endedBy('postgres', 'SIGKILL')),
];

const dataDeleted = async (backing: Backing): Promise<Undo> => {
  await backing.nats.end('SIGKILL');
  await backing.deleteNatsData();
  return () => backing.nats.start();
};

const frozen = async ({ nats }: Backing): Promise<Undo> => {
  process.kill(nats.pid(), 'SIGSTOP');
  return async () => void process.kill(nats.pid(), 'SIGCONT');
};

/** After a full disk, JetStream stays off until a restart. */
const diskFull =
  (disk: NonNullable<Backing['natsDisk']>) =>
  async (backing: Backing): Promise<Undo> => {
    await disk.fill();
    return async () => {
      await disk.free();
      await backing.nats.end('SIGKILL');
      await backing.nats.start();
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
      const { backing } = system;
      const disk = backing.natsDisk;
      return disk ? [{ name: 'nats', kind: 'nats', hit: () => diskFull(disk)(backing) }] : [];
    },
  },
];
