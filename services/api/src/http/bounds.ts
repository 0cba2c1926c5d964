import { isIPv6 } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import rateLimit from '@fastify/rate-limit';
import { loopPrecisionMs } from '@payments/metrics/registry';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ApiError } from './errors/api-error.ts';
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
    const lateness = monitorEventLoopDelay({ resolution: loopPrecisionMs });
    let lateMs = 0;
    const sampling = setInterval(() => {
      lateMs = lateness.count > 0 ? lateness.mean / 1e6 - loopPrecisionMs : Number.POSITIVE_INFINITY;
      lateness.reset();
    }, sampleMs).unref();
    lateness.enable();
    app.addHook('onRequest', async () => {
      if (lateMs > maxEventLoopDelayMs && isLasting()) throw errors.unavailable();
    });
    app.addHook('onClose', async () => {
      clearInterval(sampling);
      lateness.disable();
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

export const unbounded = { running: Number.POSITIVE_INFINITY, waiting: Number.POSITIVE_INFINITY };

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

/**
 * Lets a single request that is no sale go on in each turn of the event loop. Several refused guesses share a turn, but
 * most of these requests take longer than a refusal.
 */
export const addressTurns = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', turnsOfAddresses(1));
  },
  { name: 'address-turns' },
);

type CallerTurns = {
  callerOf: (request: FastifyRequest) => string;
  /** Requests of a caller that are under way at a time; the others wait for them. */
  running: number;
};

// Each takes some kilobytes while it waits.
export const waitingCalls = 4_900;
const retrySeconds = 1;

/**
 * Lets some requests of each caller be under way at a time, from here until the answer is made. Statements wait for
 * connections in order: without it, those of a thousand requests of one caller stand before the next one of all others
 * (Design: Bounds). A request whose client has gone when its turn comes is not carried out: an overload would not end
 * while most of the work is for clients that gave up and ask again. Register it after the authentication.
 */
export const callerTurns = fastifyPlugin(
  async (app, { callerOf, running }: CallerTurns) => {
    const inTurn = atMostEach({ all: unbounded, each: { running, waiting: waitingCalls } });
    const ends = new WeakMap<FastifyRequest, () => void>();
    const turnOf = (caller: string, request: FastifyRequest) =>
      new Promise<void>((begin, refuse) => {
        const turn = inTurn(caller, () => {
          begin();
          return new Promise<void>((end) => void ends.set(request, end));
        });
        if (!turn) refuse(errors.tooManyRequests(retrySeconds));
      });
    // The body has arrived: a client that goes away before that takes no turn which nothing would end.
    app.addHook('preValidation', async (request, reply) => {
      await turnOf(callerOf(request), request);
      if (!request.raw.socket.destroyed) return;
      ends.get(request)?.();
      reply.hijack();
    });
    app.addHook('onSend', async (request) => ends.get(request)?.());
  },
  { name: 'caller-turns' },
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

/** Counts a request of its address. @returns the seconds to wait above the limit, otherwise undefined */
export type AddressLimit = (request: FastifyRequest) => Promise<number | undefined>;

// A neighbour behind the same address gets in with a good credential, only later.
const lookUpsOfGuessers = { running: 1, waiting: 50 };
// Measured beside 2,000 unknown tokens at once: p99 of sales 100 ms, 240 ms without turns, 130 ms with one in a turn.
const guessesInTurn = 4;
const rememberedAtMost = 10_000;

export type GuessLimit = {
  /**
   * Looks a credential up. Addresses whose guesses have reached the limit share few look-ups; a credential that was
   * good here before is no guess, and is looked up at once.
   * @param hash the credential's
   * @param look what finds it; undefined if there is none. It is told whether the credential was good before
   * @throws ApiError 429 if too many of those wait
   */
  lookUp<T>(
    request: FastifyRequest,
    hash: Buffer,
    look: (isKnown: boolean) => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** @returns the refusal of a wrong credential, which it counts: `wrong`, or 429 beyond the limit */
  refusal(request: FastifyRequest, wrong: () => ApiError): Promise<ApiError>;
};

/**
 * Bounds guesses at credentials per address, in this process. Good ones are never counted: who guesses must not lock a
 * neighbour out.
 * @param perMinute wrong ones, and look-ups at a time; 0 for no limit
 */
export async function limitGuesses(scope: FastifyInstance, perMinute: number): Promise<GuessLimit> {
  const max = perMinute || Number.MAX_SAFE_INTEGER;
  const count = await limiterOf(scope, { max, timeWindow: 60_000 });
  const good = new LRUCache<string, true>({ max: rememberedAtMost });
  const turn = turnsOfAddresses(guessesInTurn);
  const few = atMost(lookUpsOfGuessers);
  // As many as the limit at a time: the next ones are looked up when those before them are counted.
  const inLine = atMostEach({ all: unbounded, each: { ...unbounded, running: max } });

  const admit = async <T>(request: FastifyRequest, look: () => Promise<T>): Promise<T> => {
    await turn(request);
    const first = await inLine(networkOf(request.ip), async () =>
      (await peek(count, request)).current < max ? { looked: await look() } : undefined,
    );
    if (first) return first.looked;
    const looked = few(look);
    if (!looked) throw errors.tooManyRequests((await peek(count, request)).ttlInSeconds);
    return looked;
  };
  return {
    lookUp: async (request, hash, look) => {
      const name = hash.toString('base64url');
      const found = await (good.has(name) ? look(true) : admit(request, () => look(false)));
      if (found) good.set(name, true);
      else good.delete(name);
      return found;
    },
    refusal: async (request, wrong) => {
      const limit = await count(request);
      return !limit.isAllowed && limit.isExceeded ? errors.tooManyRequests(limit.ttlInSeconds) : wrong();
    },
  };
}

/** Without counting. */
async function peek(count: ReturnType<FastifyInstance['createRateLimit']>, request: FastifyRequest) {
  const limit = await count(request, { increment: false });
  if (limit.isAllowed) return { current: 0, ttlInSeconds: 0 };
  return { current: limit.max - limit.remaining, ttlInSeconds: limit.ttlInSeconds };
}

/**
 * Limits requests per client address (IPv6: per /64) in this process.
 * @param max requests in `windowMs`
 */
export async function limitByAddress(
  scope: FastifyInstance,
  { max, windowMs }: { max: number; windowMs: number },
): Promise<AddressLimit> {
  const count = await limiterOf(scope, { max, timeWindow: windowMs });
  return async (request) => {
    const limit = await count(request);
    return !limit.isAllowed && limit.isExceeded ? limit.ttlInSeconds : undefined;
  };
}

/** @returns a function that tells the address by which the limits count a request */
export async function addressByLimit(
  scope: FastifyInstance,
): Promise<(request: FastifyRequest) => Promise<string>> {
  const limiter = await limiterOf(scope, { max: Number.MAX_SAFE_INTEGER, timeWindow: 60_000 });
  return async (request) => (await limiter(request, { increment: false })).key;
}

/**
 * Bounds how often something happens in this process.
 * @param max times in `windowMs`, per key
 * @returns a function that counts a request under its key, and tells whether it is within the bound
 */
export async function boundBy(
  scope: FastifyInstance,
  { max, windowMs, keyOf }: { max: number; windowMs: number; keyOf: (request: FastifyRequest) => string },
): Promise<(request: FastifyRequest) => Promise<boolean>> {
  const count = await limiterOf(scope, { max, timeWindow: windowMs, keyGenerator: keyOf });
  return async (request) => {
    const limit = await count(request);
    return limit.isAllowed || !limit.isExceeded;
  };
}

type LimiterOptions = {
  max: number;
  timeWindow: number;
  keyGenerator?: (request: FastifyRequest) => string;
};

async function limiterOf(scope: FastifyInstance, options: LimiterOptions) {
  if (!scope.hasDecorator('createRateLimit')) await scope.register(rateLimit, { global: false });
  return scope.createRateLimit(options);
}
