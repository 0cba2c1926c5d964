import pLimit, { type LimitFunction } from 'p-limit';

export type OriginLimit = <T>(origin: string, work: () => Promise<T>) => Promise<T>;

/**
 * Limits the requests to each origin. They wait here rather than for undici's connections: undici opens one even for a
 * request that gave up while it waited.
 * @param perOrigin how many run at a time; the others wait in order
 */
export function originLimit(perOrigin: number): OriginLimit {
  const limits = new Map<string, LimitFunction>();
  return async (origin, work) => {
    const limit = limits.get(origin) ?? pLimit(perOrigin);
    limits.set(origin, limit);
    try {
      return await limit(work);
    } finally {
      // The request that just ended still counts.
      if (limit.activeCount + limit.pendingCount <= 1) limits.delete(origin);
    }
  };
}
