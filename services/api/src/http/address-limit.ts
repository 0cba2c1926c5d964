import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { atMost, atMostEach, networkOf, turnsOfAddresses } from './bounds.ts';
import type { ApiError } from './errors/api-error.ts';
import { errors } from './errors/errors.ts';

/** Counts a request of its address. @returns the seconds to wait above the limit, otherwise undefined */
export type AddressLimit = (request: FastifyRequest) => Promise<number | undefined>;

// A neighbour behind the same address gets in with a good credential, only later.
const lookUpsOfGuessers = { running: 1, waiting: 50 };
const unbounded = { running: Number.POSITIVE_INFINITY, waiting: Number.POSITIVE_INFINITY };
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
