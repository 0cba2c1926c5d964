import { type AttemptResult, isSuccess } from './attempt-result.ts';

const SECONDS = /^\d+$/;
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Parses a `Retry-After` header (RFC 9110 §10.2.3): a number of seconds, or an HTTP date in any of its three forms.
 * @returns seconds from `now`, 0 for a past date, `null` for neither form. It can be huge: the caller limits it
 */
export function parseRetryAfter(value: string, now: Date): number | null {
  const text = value.trim();
  if (SECONDS.test(text)) return Number(text);
  const date = parseHttpDate(text);
  return date === null ? null : Math.max(0, (date - now.getTime()) / 1000);
}

function parseHttpDate(text: string): number | null {
  // Date.parse accepts far more than HTTP dates, and reads asctime, which is UTC, as local time.
  const utc = ASCTIME.test(text) ? `${text} GMT` : text;
  if (utc === text && !IMF_FIXDATE.test(text) && !RFC_850.test(text)) return null;
  const time = Date.parse(utc);
  return Number.isNaN(time) ? null : time;
}

/** Seconds before the 2nd, 3rd, … attempt: 13 attempts over 76 hours (Contract: delivery). */
export const DEFAULT_SCHEDULE: readonly number[] = [
  5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400,
];

/** The largest random change of a delay, up or down, so that failed deliveries don't return together. */
const JITTER = 0.2;

/** The most seconds that a `Retry-After` can add to the scheduled delay: no receiver can park an event for longer. */
const RETRY_AFTER_BOUND = 7_200;

/** `retryInMs` counts from the attempt's end. After an `uncounted` attempt, the next has the same place in the schedule. */
export type NextStep =
  | { state: 'delivered' | 'dead'; retryInMs: null }
  | { state: 'pending'; retryInMs: number; uncounted?: true };

export interface FinishedAttempt {
  /** Attempts made, including this one; at least 1. */
  attempts: number;
  result: AttemptResult;
  /** When this attempt ended. */
  now: Date;
  /** Uniform in 0..1; places the delay within the jitter. */
  random: number;
  /** Seconds before each retry, one entry per retry. */
  schedule: readonly number[];
}

/**
 * Decides a delivery's next step after an attempt (Contract: delivery).
 *
 * - A 2xx delivers it.
 * - A 410 or an unusable URL ends it.
 * - What could not be signed was not sent: it is tried again for as long as it takes, with the schedule's last pause
 *   once the others are over.
 * - Anything else is tried again after the scheduled delay ± 20 %. A longer `Retry-After` counts, up to
 *   the scheduled delay and two hours more.
 */
export function nextStep(attempt: FinishedAttempt): NextStep {
  const { attempts, result, now, random, schedule } = attempt;
  if (isSuccess(result)) return { state: 'delivered', retryInMs: null };
  if (isUnsent(result)) return unsentStep(attempt);
  const isGone = result.outcome === 'answered' && result.status === 410;
  const isUnusable = result.outcome === 'failed' && result.stage === 'url';
  const scheduled = schedule[attempts - 1];
  if (isGone || isUnusable || scheduled === undefined) return { state: 'dead', retryInMs: null };
  const seconds = Math.max(
    jittered(scheduled, random),
    Math.min(askedDelay(result, now), scheduled + RETRY_AFTER_BOUND),
  );
  return { state: 'pending', retryInMs: Math.round(seconds * 1000) };
}

const isUnsent = (result: AttemptResult) => result.outcome === 'failed' && result.stage === 'signature';

function unsentStep({ attempts, random, schedule }: FinishedAttempt): NextStep {
  const scheduled = schedule[attempts - 1];
  const [lastPause = 5] = schedule.slice(-1);
  const retryInMs = Math.round(jittered(scheduled ?? lastPause, random) * 1000);
  return { state: 'pending', retryInMs, ...(scheduled === undefined && { uncounted: true }) };
}

const jittered = (seconds: number, random: number) => seconds * (1 - JITTER + 2 * JITTER * random);

/** How many lost attempts, beyond the schedule, end a delivery. */
export const LOST_ATTEMPTS = 5;

/**
 * @param attempts attempts begun, including this one
 * @returns whether so many attempts were lost that this one must not be made: it may be what kills its processes
 */
export function isAbandoned(attempts: number, schedule: readonly number[]): boolean {
  return attempts > schedule.length + 1 + LOST_ATTEMPTS;
}

/** @returns the seconds that the receiver asked for; 0 if none */
function askedDelay(result: AttemptResult, now: Date): number {
  if (result.outcome !== 'answered' || result.retryAfter === null) return 0;
  return parseRetryAfter(result.retryAfter, now) ?? 0;
}
