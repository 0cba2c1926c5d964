import { isIPv6 } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import underPressure from '@fastify/under-pressure';
import { fastifyPlugin } from 'fastify-plugin';
import pLimit, { type LimitFunction } from 'p-limit';
import { errors } from './errors/errors.ts';

export type Bounds = {
  /** Tasks that run at the same time. */
  running: number;
  /** Tasks that may wait besides those. */
  waiting: number;
};

/**
 * Limits the concurrency of a kind of work, so that a flood of it leaves resources for other work.
 * @returns a function that runs tasks in order; it returns undefined at once if too many wait
 */
export function atMost(bounds: Bounds): <T>(work: () => Promise<T>) => Promise<T> | undefined {
  const limit = pLimit(bounds.running);
  const most = bounds.running + bounds.waiting;
  return (work) => (limit.activeCount + limit.pendingCount >= most ? undefined : limit(work));
}

type Line = { turn: LimitFunction; tasks: number };

/**
 * Limits the concurrency of a kind of work in all, and that of each who asks for it. Only what one may run queues with
 * the tasks of others, so whoever floods waits behind them, and not they behind the flood.
 * @returns a function that runs a task of `who`; it returns undefined at once if too many wait, in all or of theirs
 */
export function atMostEach({
  all,
  each,
}: {
  all: Bounds;
  each: Bounds;
}): <T>(who: string, work: () => Promise<T>) => Promise<T> | undefined {
  const lines = new Map<string, Line>();
  const turnOfAll = pLimit(all.running);
  const [most, mostEach] = [all.running + all.waiting, each.running + each.waiting];
  let tasks = 0;

  const begin = (who: string, line: Line) => {
    lines.set(who, line);
    line.tasks += 1;
    tasks += 1;
  };
  const end = (who: string, line: Line) => {
    line.tasks -= 1;
    tasks -= 1;
    if (line.tasks === 0) lines.delete(who);
  };
  return (who, work) => {
    const line = lines.get(who) ?? { turn: pLimit(each.running), tasks: 0 };
    if (tasks >= most || line.tasks >= mostEach) return undefined;
    begin(who, line);
    return line.turn(() => turnOfAll(work)).finally(() => end(who, line));
  };
}

const maxEventLoopDelayMs = 1_000;
const sampleMs = 1_000;

/**
 * Refuses requests with 503 while the process can't keep up, before all of them become slow.
 * @param options.loadClock milliseconds of a monotonic clock
 */
export const loadShedding = fastifyPlugin(
  async (app, { loadClock }: { loadClock: () => number }) => {
    const isLasting = lastingPressure(loadClock);
    await app.register(underPressure, {
      maxEventLoopDelay: maxEventLoopDelayMs,
      sampleInterval: sampleMs,
      pressureHandler: () => {
        if (isLasting()) throw errors.unavailable();
      },
    });
  },
  { name: 'load-shedding' },
);

/**
 * Sheds only under pressure that outlives one sample. A single long pause, as at a start, is over when measured.
 * @param now milliseconds of a monotonic clock
 * @returns a function that decides, for each request under pressure, whether to refuse it
 */
export function lastingPressure(now: () => number): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time - latest > 3 * sampleMs) since = time;
    latest = time;
    return time - since > 1.5 * sampleMs;
  };
}

/**
 * Lets few requests go on in each turn of the event loop, and an address's next one after those of others. A thousand
 * that arrive together would otherwise be handled in one go, and sales of the same process wait until then (Design:
 * Bounds).
 * @param most in a turn
 * @returns a function that resolves in the request's turn
 */
export function turnsOfAddresses(most: number): (request: { ip: string }) => Promise<void> {
  const few = { running: most, waiting: Number.POSITIVE_INFINITY };
  const inTurn = atMostEach({ all: few, each: few });
  return async ({ ip }) => void (await inTurn(networkOf(ip), () => nextTurn()));
}

/** Each request of a listener without sales takes a turn of its own: most take longer than the refusal of a guess. */
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
