import { setTimeout } from 'node:timers/promises';

export type ReadingOptions<T> = {
  read: () => Promise<T>;
  /** How long one reading is as good as the next. */
  freshMs: number;
  /** The longest that anyone waits for one. */
  patienceMs: number;
};

/**
 * Shares one reading among all who ask within `freshMs`, and never starts a second one while the first is out.
 * @returns a function that reads: undefined where the reading failed, or is not there in time
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
