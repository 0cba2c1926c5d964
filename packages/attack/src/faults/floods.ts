import { setTimeout as delay } from 'node:timers/promises';
import { floods, sendAtOnce } from '@payments/testing/floods';
import { systemClient } from '@payments/testing/system-client';
import { until } from '../load/world.ts';
import type { Fault, Scene, Window } from './fault.ts';

const pauseMs = 500;

/**
 * One reader, or a stranger, asks for far too much at once, again and again: sales and webhooks must not feel it.
 * A refusal of a sale, or a 5xx, breaks promise 7; a late webhook promise 9.
 */
export const floodFaults: Fault[] = floods.map((flood) => ({
  name: flood.name,
  lasts: [3, 5],
  targets: (scene) => [
    {
      name: 'crowd',
      kind: 'callers',
      hit: async () => {
        const { url, adminUrl } = scene.system;
        const target = { url, adminUrl, key: await viewerKey(scene) };
        let isOver = false;
        const flooding = (async () => {
          // Beside other faults a flood may fail: it is no client whose requests must succeed.
          for (; !isOver; await delay(pauseMs)) await sendAtOnce(flood, target).catch(() => {});
        })();
        return async () => {
          isOver = true;
          await flooding;
        };
      },
    },
  ],
}));

async function viewerKey({ system }: Scene): Promise<string> {
  const { admin } = systemClient({ ...system, bankUrl: '' });
  const body = { name: 'Leitora', role: 'viewer' };
  // Other faults may be under way.
  const key = await until(60_000, () =>
    admin('/admin/keys', { body }).then(
      (answer) => answer.body.key as string | undefined,
      () => undefined,
    ),
  );
  if (key === undefined) throw new Error('the key of a fault could not be made');
  return key;
}

/** True for the floods, which excuse nothing. */
export const isFlood = ({ kind }: Pick<Window, 'kind'>) => kind === 'callers';
