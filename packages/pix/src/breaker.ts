import type { BreakerState } from './types.ts';

/** After `failures` in a row, calls stop for `openMs`. Each failed probe doubles that, up to `maxOpenMs`. */
export type BreakerPolicy = { failures: number; openMs: number; maxOpenMs: number };

/** One admitted call. Report its outcome once. Outcomes of calls from before the last state change are ignored. */
export type Admission = { succeeded(): void; failed(): void };

export interface Breaker {
  /** Null when the call must not be made. After a pause one call, the probe, is admitted; the rest wait. */
  admit(): Admission | null;
  state(): BreakerState;
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
    if (state !== 'closed') change('closed');
  };
  const failed = () => {
    failures += 1;
    if (state === 'half-open' || failures >= policy.failures) open();
  };
  const admission = (): Admission => {
    const admittedIn = era;
    const counted = (outcome: () => void) => () => {
      if (era === admittedIn) outcome();
    };
    return { succeeded: counted(succeeded), failed: counted(failed) };
  };

  return {
    state: () => state,
    admit() {
      if (state === 'half-open' || (state === 'open' && now() < probeAt)) return null;
      if (state === 'open') change('half-open');
      return admission();
    },
  };
}
