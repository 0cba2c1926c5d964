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
  if (!scope.hasDecorator('createRateLimit')) await scope.register(rateLimit, { global: false });
  const count = scope.createRateLimit({ max, timeWindow: windowMs });
  return async (request) => {
    const limit = await count(request);
    return !limit.isAllowed && limit.isExceeded ? limit.ttlInSeconds : undefined;
  };
}
