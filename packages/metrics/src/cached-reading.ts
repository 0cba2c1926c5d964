import { setTimeout } from 'node:timers/promises';

export type ReadingOptions<T> = {
  read: () => Promise<T>;
  /** How long a reading counts as current. */
  freshMs: number;
  /** The longest wait for a reading. */
  patienceMs: number;
};

/**
 * Shares one reading among all callers within `freshMs`. A second reading starts only after the first has ended.
 * @returns a function that reads; its result is undefined if the reading failed or took too long
 */
export function cachedReading<T>({ read, freshMs, patienceMs }: ReadingOptions<T>) {
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
