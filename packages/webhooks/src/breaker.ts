/**
 * What is known about one endpoint or host. Plain data for a database row; times are epoch milliseconds.
 * - closed: attempts are made.
 * - open: none before `until`.
 * - half-open: one probe is out; should nothing be heard of it by `until`, another may go.
 */
export interface BreakerState {
  phase: 'closed' | 'open' | 'half-open';
  /** Failures in a row. */
  failures: number;
  /** Openings in a row, with no success between; the open period doubles with each. */
  openings: number;
  until: number | null;
  /** When the first of the failures in a row was recorded. */
  failingSince: number | null;
}

export interface BreakerPolicy {
  /** Failures in a row that open the breaker. */
  failuresToOpen: number;
  /** The first open period. */
  openSeconds: number;
  maxOpenSeconds: number;
  /** How long a probe may be out; longer than an attempt can take, so that only a crash leaves one. */
  probeSeconds: number;
}

export const DEFAULT_BREAKER: BreakerPolicy = {
  failuresToOpen: 5,
  openSeconds: 30,
  maxOpenSeconds: 3600,
  probeSeconds: 60,
};

/** The state of an endpoint or host that nothing is known about, and of one that was released. */
export const CLOSED: BreakerState = {
  phase: 'closed',
  failures: 0,
  openings: 0,
  until: null,
  failingSince: null,
};

export interface Admission {
  /** Whether an attempt may be made now. One that may not costs no retry: it was not made. */
  admitted: boolean;
  /** Whether that attempt is the probe; `afterAttempt` wants to know. */
  probe: boolean;
  state: BreakerState;
}

/**
 * Asks for an attempt. Pure: whoever calls stores the state under a lock, or two replicas would both probe.
 */
export function admit(state: BreakerState, now: Date, policy = DEFAULT_BREAKER): Admission {
  if (state.phase === 'closed') return { admitted: true, probe: false, state };
  if (now.getTime() < (state.until ?? 0)) return { admitted: false, probe: false, state };
  const until = now.getTime() + policy.probeSeconds * 1000;
  return { admitted: true, probe: true, state: { ...state, phase: 'half-open', until } };
}

export interface AttemptOutcome {
  succeeded: boolean;
  /** As `admit` said. */
  probe: boolean;
}

/**
 * Records how an attempt went. A success closes the breaker whichever attempt it was. Of failures, only the
 * probe's opens a half-open breaker again: the others were made before it opened and say nothing new.
 */
export function afterAttempt(
  state: BreakerState,
  { succeeded, probe }: AttemptOutcome,
  now: Date,
  policy = DEFAULT_BREAKER,
): BreakerState {
  if (succeeded) return CLOSED;
  const failures = state.failures + 1;
  const failing = { ...state, failures, failingSince: state.failingSince ?? now.getTime() };
  const opens =
    state.phase === 'closed' ? failures >= policy.failuresToOpen : state.phase === 'half-open' && probe;
  if (!opens) return failing;
  const openings = state.openings + 1;
  const until = now.getTime() + openSeconds(openings, policy) * 1000;
  return { ...failing, phase: 'open', openings, until };
}

/** How long the breaker stays open the n-th time in a row: doubling, up to the cap. */
function openSeconds(openings: number, policy: BreakerPolicy): number {
  return Math.min(policy.openSeconds * 2 ** (openings - 1), policy.maxOpenSeconds);
}
