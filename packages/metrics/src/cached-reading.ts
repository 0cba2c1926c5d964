import { setTimeout } from 'node:timers/promises';

// Shorter than a usual scrape interval: all gauges of concurrent scrapes share one reading.
const freshMs = 2_000;
const patienceMs = 1_000;

/**
 * Shares one reading among all callers within two seconds. A second reading starts only after the first has ended.
 * @returns a function that reads; its result is undefined if the reading failed or took longer than a second
 */
export function cachedReading<T>(read: () => Promise<T>) {
  let latest: { value: T; at: number } | undefined;
  let reading: Promise<T | undefined> | undefined;
  const start = async () => {
    try {
      const value = await read();
      latest = { value, at: performance.now() };
      return value;
    } catch {
      return undefined;
    } finally {
      reading = undefined;
    }
  };
  return async (): Promise<T | undefined> => {
    if (latest && performance.now() - latest.at < freshMs) return latest.value;
    reading ??= start();
    return Promise.race([reading, setTimeout(patienceMs, undefined, { ref: false })]);
  };
}
