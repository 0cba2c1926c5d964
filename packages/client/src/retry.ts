import { ApiError, ConnectionError } from './errors.ts';

const firstPauseMs = 250;
const longestPauseMs = 8_000;
// The longest `Retry-After` that is obeyed.
const longestRetryAfterSeconds = 60;

/**
 * Decides whether and when a failed request is sent again. All requests may be: reads change nothing, and creations
 * carry a key.
 * @param failures the number of failures, including this one
 * @param chance from 0 to 1, so that clients that failed together don't retry together
 * @returns milliseconds to wait, or undefined to give up
 */
export function pauseBefore(
  error: unknown,
  { failures, retries, chance }: { failures: number; retries: number; chance: number },
): number | undefined {
  if (failures > retries || !isPassing(error)) return undefined;
  const pause = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) * (0.5 + chance / 2);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  return asked > longestRetryAfterSeconds ? undefined : Math.max(pause, asked * 1_000);
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.statusCode >= 500 || [408, 429].includes(error.statusCode));
}
