import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Counts one more request of its address. @returns the seconds to wait where the limit is exceeded, else undefined */
export type AddressLimit = (request: FastifyRequest) => Promise<number | undefined>;

/**
 * A limit on what one client address (IPv6: its /64) may have done, per process.
 * @param max in `windowMs`
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
