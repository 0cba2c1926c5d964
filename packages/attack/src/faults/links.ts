import type { TcpProxy } from '@payments/testing/tcp-proxy';
import type { Random } from '../random.ts';
import type { LinkedReplica } from '../system/linked-service.ts';
import type { Links } from '../system/links.ts';
import type { Fault, Scene, Undo } from './fault.ts';

const onLink = (
  name: string,
  to: 'postgres' | 'nats' | 'bank',
  lasts: Fault['lasts'],
  hit: (link: TcpProxy, random: Random) => Promise<Undo>,
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

function linksTo(links: Links, to: 'postgres' | 'nats' | 'bank'): [string, TcpProxy][] {
  return to === 'bank' ? Object.entries(links.banks) : [[to, links[to]]];
}

/** Cuts every connection, and refuses new ones for a while. */
const cut = async (link: TcpProxy): Promise<Undo> => {
  link.refuse(true);
  link.cut();
  return async () => link.refuse(false);
};

const slow = async (link: TcpProxy, random: Random): Promise<Undo> => {
  link.slow(Math.round(random.between(50, 300)));
  return async () => link.slow(0);
};

export const linkFaults: Fault[] = (['postgres', 'nats', 'bank'] as const).flatMap((to) => [
  onLink('cut', to, [0.2, 4], cut),
  onLink('slow', to, [3, 8], slow),
]);
