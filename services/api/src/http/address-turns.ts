import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fastifyPlugin } from 'fastify-plugin';
import { atMostEach } from './at-most.ts';

const oneByOne = { running: 1, waiting: Number.POSITIVE_INFINITY };

/**
 * Lets one request of a listener without sales go on in each turn of the event loop, and an address's next one after
 * those of others. A thousand that arrive together would otherwise be handled in one go, and sales of the same process
 * wait until then (Design: Bounds).
 */
export const addressTurns = fastifyPlugin(
  async (app) => {
    const inTurn = atMostEach({ all: oneByOne, each: oneByOne });
    app.addHook('onRequest', async ({ ip }) => void (await inTurn(networkOf(ip), () => nextTurn())));
  },
  { name: 'address-turns' },
);

/** @returns the address, or the /64 of an IPv6 address: one customer has all of it */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [before = '', after = ''] = address.split('::');
  const [head, tail] = [before, after].map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - head!.length - tail!.length)).fill('0');
  const groups = [...head!, ...zeros, ...tail!];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
