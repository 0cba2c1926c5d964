import { PixUnavailable } from './errors.ts';

/** Waits for shared work, but no longer than this caller's time. PixUnavailable when that is over. */
export async function withinTime<T>(name: string, promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let late = () => {};
  const end = new Promise<never>((_, reject) => {
    late = () => reject(new PixUnavailable(name, 'timeout', 'token'));
    signal.addEventListener('abort', late, { once: true });
    if (signal.aborted) late();
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    signal.removeEventListener('abort', late);
  }
}

/**
 * Runs with a signal that aborts after `timeoutMs`. `AbortSignal.timeout` would keep its timer after the call has ended.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  return run(deadline.signal).finally(() => clearTimeout(timer));
}
