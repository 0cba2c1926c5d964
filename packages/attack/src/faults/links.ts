import type { Random } from '../random.ts';
import type { Link, LinkedReplica, Links } from '../system/links.ts';
import type { Fault, Scene, Undo } from './fault.ts';

const onLink = (
  name: string,
  to: 'postgres' | 'nats' | 'bank',
  lasts: Fault['lasts'],
  hit: (link: Link, random: Random) => Promise<Undo>,
): Fault => ({
  name: `${to}-connection-${name}`,
  lasts,
  targets: ({ system }: Scene) => {
    const on = (kind: 'api' | 'dispatcher') => (replica: LinkedReplica) =>
      linksTo(replica.links, to).map(([end, link]) => ({
        name: `${replica.name} to ${end}`,
        kind,
        hit: (random: Random) => hit(link, random),
      }));
    return [...system.apis.flatMap(on('api')), ...system.dispatchers.flatMap(on('dispatcher'))];
  },
});

function linksTo(links: Links, to: 'postgres' | 'nats' | 'bank'): [string, Link][] {
  return to === 'bank' ? Object.entries(links.banks) : [[to, links[to]]];
}

/** Cuts every connection, and refuses new ones for a while. */
const cut = async (link: Link): Promise<Undo> => {
  link.refuse(true);
  link.cut();
  return async () => link.refuse(false);
};

const slow = async (link: Link, random: Random): Promise<Undo> => {
  link.slow(Math.round(random.between(50, 300)));
  return async () => link.slow(0);
};

/** A partition of the network: connections stay, and nothing passes. */
const silent = async (link: Link): Promise<Undo> => {
  link.silence(true);
  return async () => link.silence(false);
};

export const linkFaults: Fault[] = (['postgres', 'nats', 'bank'] as const).flatMap((to) => [
  onLink('cut', to, [0.2, 4], cut),
  onLink('slow', to, [3, 8], slow),
]);

/** One process is partitioned from the servers that all others reach. */
export const partitions: Fault[] = [
  onLink('silent', 'postgres', [3, 8], silent),
  onLink('silent', 'nats', [3, 8], silent),
];
