import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import {
  admit,
  afterAttempt,
  type BreakerPolicy,
  type BreakerState,
  CLOSED,
} from '@payments/webhooks/breaker';

/** A delivery whose host is left alone, and for how long. */
export type Resting = { delivery: ClaimedDelivery; restMs: number };

export type HostBreakers = {
  /** Says which of these may be attempted now; a host that rests lets one probe through when its rest is over. */
  sort(claimed: readonly ClaimedDelivery[]): { admitted: ClaimedDelivery[]; resting: Resting[] };
  /** Hears what an attempt said of its host; null is nothing. */
  hear(delivery: ClaimedDelivery, succeeded: boolean | null): void;
  /** How many hosts are left alone now. */
  resting(): number;
};

/**
 * Breakers by host, beside those by endpoint: many stores, or many paths, may share one host that is down. Each
 * process judges by its own attempts, so replicas need not agree. Only hosts that fail are remembered.
 */
export function hostBreakers(policy: BreakerPolicy, now: () => Date): HostBreakers {
  const failing = new Map<string, BreakerState>();
  const probes = new Set<string>();

  const admits = (delivery: ClaimedDelivery): boolean => {
    // As nearly always: then no URL need be taken apart.
    if (failing.size === 0) return true;
    const host = hostOf(delivery);
    const known = failing.get(host);
    if (!known) return true;
    const { admitted, probe, state } = admit(known, now(), policy);
    failing.set(host, state);
    if (probe) probes.add(delivery.id);
    return admitted;
  };
  const restOf = (delivery: ClaimedDelivery): number => {
    const known = failing.get(hostOf(delivery));
    // The probe that is out will soon have said whether there is more to wait for.
    if (known?.phase !== 'open') return policy.openSeconds * 1_000;
    return Math.max(100, (known.until ?? 0) - now().getTime());
  };

  return {
    resting: () => [...failing.values()].filter(({ phase }) => phase !== 'closed').length,
    sort: (claimed) => {
      const admitted: ClaimedDelivery[] = [];
      const resting: Resting[] = [];
      for (const delivery of claimed) {
        if (admits(delivery)) admitted.push(delivery);
        else resting.push({ delivery, restMs: restOf(delivery) });
      }
      return { admitted, resting };
    },
    hear: (delivery, succeeded) => {
      if (succeeded && failing.size === 0 && probes.size === 0) return;
      const host = hostOf(delivery);
      const probe = probes.delete(delivery.id);
      if (succeeded === null) return;
      if (succeeded) failing.delete(host);
      else failing.set(host, afterAttempt(failing.get(host) ?? CLOSED, { succeeded, probe }, now(), policy));
    },
  };
}

function hostOf({ url }: ClaimedDelivery): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
