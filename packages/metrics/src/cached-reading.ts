import { setTimeout } from 'node:timers/promises';

export type ReadingOptions<T> = {
  read: () => Promise<T>;
  /** How long one reading is as good as the next. */
  freshMs: number;
  /** How long anyone waits for one. */
  patienceMs: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
};

/**
 * Keeps a reading for a while, so that many askers cost one; never starts a second one while the first is out.
 * @returns asked for the reading: undefined when it failed, or is not there in time
 */
export function cachedReading<T>(options: ReadingOptions<T>): () => Promise<T | undefined> {
  const { read, freshMs, patienceMs, now = () => performance.now() } = options;
  let latest: { value: T; at: number } | undefined;
  let reading: Promise<T | undefined> | undefined;

  const start = () =>
    read()
      .then((value) => {
        latest = { value, at: now() };
        return value;
      })
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
  return async () => {
    if (latest && now() - latest.at < freshMs) return latest.value;
    reading ??= start();
    const waited = new AbortController();
    const late = setTimeout(patienceMs, undefined, { signal: waited.signal }).catch(() => undefined);
    return Promise.race([reading, late]).finally(() => waited.abort());
  };
}
