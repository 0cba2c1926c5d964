import { type AttemptResult, isSuccess } from './attempt-result.ts';

/** A failing endpoint, as plain data for a database row. */
export type EndpointHealth = {
  /** Failures in a row. */
  failures: number;
  /** How often its circuit opened in a row. Each opening doubles the rest. */
  openings: number;
  /** When one delivery may probe its open circuit; null while the circuit is closed. */
  openUntil: Date | null;
  failingSince: Date;
};

/** Failures in a row that open the circuit. */
const failuresToOpen = 10;
/** The longest rest, in first rests. */
const longestRest = 12;

const hourMs = 3_600_000;

/** How long an endpoint fails before it is parked: probed a few times a day, unless an administrator releases it. */
export const parkedAfterMs = 72 * hourMs;
const parkedRestMs = 6 * hourMs;

/**
 * Updates an endpoint's health after an attempt. A success makes it healthy at once. Failures in a row open its
 * circuit. While the circuit is open, only a failed probe reopens it: other attempts began earlier.
 * @param firstRestSeconds how long it rests at first; it doubles up to twelve times that
 * @returns null for a healthy endpoint
 */
export function healthAfter(
  health: EndpointHealth | null,
  { succeeded, probe }: { succeeded: boolean; probe: boolean },
  now: Date,
  firstRestSeconds: number,
): EndpointHealth | null {
  if (succeeded) return null;
  const { failures: before, openings, openUntil, failingSince } = health ?? { ...unknown, failingSince: now };
  const failing = { failures: before + 1, openings, openUntil, failingSince };
  const opens = openUntil === null ? failing.failures >= failuresToOpen : probe;
  if (!opens) return failing;
  const restMs = restAfter(openings + 1, now.getTime() - failingSince.getTime(), firstRestSeconds);
  return { ...failing, openings: openings + 1, openUntil: new Date(now.getTime() + restMs) };
}

const unknown = { failures: 0, openings: 0, openUntil: null };

function restAfter(openings: number, failingMs: number, firstSeconds: number): number {
  if (failingMs > parkedAfterMs) return parkedRestMs;
  return firstSeconds * Math.min(2 ** (openings - 1), longestRest) * 1_000;
}

/**
 * Reads an attempt's verdict on its endpoint. 410 is a success: the endpoint works. An unusable URL says nothing, nor
 * does an attempt that was not sent.
 * @returns null for no verdict
 */
export function endpointSucceeded(result: AttemptResult): boolean | null {
  if (result.outcome === 'answered') return isSuccess(result) || result.status === 410;
  return result.stage === 'url' || result.stage === 'signature' ? null : false;
}
