import { type AttemptResult, isSuccess } from './attempt-result.ts';
import { parseRetryAfter } from './retry-after.ts';

/** Seconds before the 2nd, 3rd, … attempt: 13 attempts over 76 hours (Contract: delivery). */
export const DEFAULT_SCHEDULE: readonly number[] = [
  5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400,
];

/** Each delay is spread by up to this part of it, both ways, so that failures do not come back together. */
export const JITTER = 0.2;

/** A `Retry-After` is honoured up to this many times the scheduled delay. */
export const RETRY_AFTER_BOUND = 2;

/** `gone`: answered 410. `exhausted`: the schedule has no further delay. `url`: it can never be sent. */
export type DeadReason = 'gone' | 'exhausted' | 'url';

export type NextStep =
  | { state: 'delivered' }
  | { state: 'pending'; nextAttemptAt: Date }
  | { state: 'dead'; reason: DeadReason };

export interface FinishedAttempt {
  /** Attempts made so far, this one included; at least 1. */
  attempts: number;
  result: AttemptResult;
  /** When this attempt ended. */
  now: Date;
  /** Uniform in 0..1; places the delay within the jitter. */
  random: number;
  /** Seconds before each retry; as many retries as entries. */
  schedule?: readonly number[];
}

/**
 * What becomes of a delivery after an attempt (Contract: delivery): any 2xx delivers it, 410 ends it at once, as does
 * a URL that can never be sent to; anything else is tried again after the scheduled delay ± 20 %, or later
 * when the receiver asked for it, but no later than twice the scheduled delay. Pure.
 */
export function nextStep(attempt: FinishedAttempt): NextStep {
  const { attempts, result, now, random, schedule = DEFAULT_SCHEDULE } = attempt;
  if (isSuccess(result)) return { state: 'delivered' };
  if (result.outcome === 'answered' && result.status === 410) return { state: 'dead', reason: 'gone' };
  if (result.outcome === 'failed' && result.stage === 'url') return { state: 'dead', reason: 'url' };
  const scheduled = schedule[attempts - 1];
  if (scheduled === undefined) return { state: 'dead', reason: 'exhausted' };
  const jittered = scheduled * (1 - JITTER + 2 * JITTER * random);
  const seconds = Math.max(jittered, Math.min(askedDelay(result, now), scheduled * RETRY_AFTER_BOUND));
  return { state: 'pending', nextAttemptAt: new Date(now.getTime() + Math.round(seconds * 1000)) };
}

/** Attempts that may vanish with their processes, beyond the schedule's own number, before a delivery is given up. */
export const LOST_ATTEMPTS = 5;

/**
 * Whether so many attempts have begun and not ended that this one must not be made: it may be what ends the processes
 * that make it. `attempts` counts those begun, this one included.
 */
export function isAbandoned(attempts: number, schedule = DEFAULT_SCHEDULE): boolean {
  return attempts > schedule.length + 1 + LOST_ATTEMPTS;
}

/** Seconds the receiver asked for; 0 when it asked for nothing. */
function askedDelay(result: AttemptResult, now: Date): number {
  if (result.outcome !== 'answered' || result.retryAfter === null) return 0;
  return parseRetryAfter(result.retryAfter, now) ?? 0;
}
