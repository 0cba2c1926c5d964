import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Counts a request of its address. @returns the seconds to wait above the limit, otherwise undefined */
export type AddressLimit = (request: FastifyRequest) => Promise<number | undefined>;

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
