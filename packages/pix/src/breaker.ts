import { type BankError, bankErrorOf } from '@payments/domain/bank-error';
import type { BreakerState } from './types.ts';

/** After `failures` in a row, calls stop for `openMs`. Each failed probe doubles that, up to `maxOpenMs`. */
export type BreakerPolicy = { failures: number; openMs: number; maxOpenMs: number };

/** One admitted call. Report its outcome once. Outcomes of calls from before the last state change are ignored. */
export type Admission = { succeeded(): void; failed(error: Error): void };

/** Calls that keep failing: since when, the last time, and the last error. */
export type Failure = { since: Date; at: Date; error: BankError };

/** The visible state of a breaker. */
export interface BreakerView {
  state(): BreakerState;
  /** True if the next call would be admitted: always while closed, and as the probe after a pause. */
  admits(): boolean;
  /** The failures that opened it, and those since; null while closed. */
  failure(): Failure | null;
}

/** @returns a breaker's failure, unless it is older than this: an open one without calls learns nothing of its bank */
export function failureWithin(ms: number, breaker: BreakerView, now: Date): Failure | null {
  const failure = breaker.failure();
  return failure && now.getTime() - failure.at.getTime() < ms ? failure : null;
}

export interface Breaker extends BreakerView {
  /** Null when the call must not be made. After a pause one call, the probe, is admitted; the rest wait. */
  admit(): Admission | null;
}

export const defaultPolicy: BreakerPolicy = { failures: 3, openMs: 1000, maxOpenMs: 5000 };

/**
 * A circuit breaker: while a PSP is down, only a probe is sent now and then. Each process has its own state.
 * @param now milliseconds
 */
export function createBreaker(now: () => number, policy: BreakerPolicy = defaultPolicy): Breaker {
  let state: BreakerState = 'closed';
  let failures = 0;
  let openMs = policy.openMs;
  let probeAt = 0;
  let era = 0;
  let failure: Failure | null = null;

  const change = (next: BreakerState) => {
    state = next;
    failures = 0;
    era += 1;
  };
  const open = () => {
    change('open');
    probeAt = now() + openMs;
    openMs = Math.min(openMs * 2, policy.maxOpenMs);
  };
  const succeeded = () => {
    failures = 0;
    openMs = policy.openMs;
    failure = null;
    if (state !== 'closed') change('closed');
  };
  const failed = (error: Error) => {
    failures += 1;
    const at = new Date(now());
    failure = { since: failure?.since ?? at, at, error: bankErrorOf(error) };
    if (state === 'half-open' || failures >= policy.failures) open();
  };
  const admission = (): Admission => {
    const admittedIn = era;
    const ifCurrent = (outcome: () => void) => {
      if (era === admittedIn) outcome();
    };
    return {
      succeeded: () => ifCurrent(succeeded),
      failed: (error) => ifCurrent(() => failed(error)),
    };
  };
  const admits = () => state === 'closed' || (state === 'open' && now() >= probeAt);

  return {
    state: () => state,
    admits,
    failure: () => (state === 'closed' ? null : failure),
    admit() {
      if (!admits()) return null;
      if (state === 'open') change('half-open');
      return admission();
    },
  };
}
