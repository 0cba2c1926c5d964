import type { BreakerState } from './breaker.ts';

const hourMs = 3_600_000;
const parkedRestMs = 6 * hourMs;

/** How long an endpoint fails before it is parked. */
export const parkedAfterMs = 72 * hourMs;

/**
 * Parks an endpoint that has failed for days: it is probed a few times a day, unless an administrator releases it.
 * @returns the state as it is, or open for longer
 */
export function park(state: BreakerState, now: Date): BreakerState {
  const failingMs = now.getTime() - (state.failingSince ?? now.getTime());
  const parked = state.phase === 'open' && failingMs > parkedAfterMs;
  return parked ? { ...state, until: now.getTime() + parkedRestMs } : state;
}
