import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { atMostEach } from './at-most.ts';

const waiting = Number.POSITIVE_INFINITY;

/**
 * Lets few requests go on in each turn of the event loop, and leaves room for one of another address. A thousand that
 * arrive together would otherwise be handled in one go, and sales of the same process wait until then (Design: Bounds).
 * @param most in a turn
 * @returns a function that resolves in the request's turn
 */
export function turnsOfAddresses(most: number): (request: FastifyRequest) => Promise<void> {
  const each = Math.max(1, most - 1);
  const inTurn = atMostEach({ all: { running: most, waiting }, each: { running: each, waiting } });
  return async ({ ip }) => {
    await inTurn(networkOf(ip), () => nextTurn());
  };
}

/** Every request of a listener without sales takes its turn: most of them take longer than a refusal. */
export const addressTurns = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', turnsOfAddresses(1));
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
