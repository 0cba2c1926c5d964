import { randomUUID } from 'node:crypto';
import type { Database } from '@payments/database/connection';
import { endLease, renewLease } from '@payments/database/deliveries/leases';

// Short and renewed, so that a killed dispatcher's deliveries are attempted again within seconds.
const leaseMs = 10_000;
const renewMs = 3_000;

/**
 * The lease of the name under which a process claims deliveries.
 * @param running the names of the attempts that run now
 */
export function newLease(db: Database, running: () => Iterable<string>) {
  let current: string = randomUUID();
  let renewedAt = Number.NEGATIVE_INFINITY;
  const held = () => new Set([current, ...running()]);
  return {
    holder: () => current,
    /** Extends the lease, and those under which attempts still run. Does nothing if it ran shortly before. */
    renew: async () => {
      const now = performance.now();
      if (now - renewedAt < renewMs) return;
      for (const holder of held()) await renewLease(db, holder, leaseMs);
      renewedAt = now;
    },
    /**
     * Changes the name after a claim without a response. Deliveries that it may have claimed are free once the old lease
     * ends. Under the same name they would be held for as long as this process lives, and never attempted.
     */
    replace: () => {
      current = randomUUID();
      renewedAt = Number.NEGATIVE_INFINITY;
    },
    release: async () => {
      for (const holder of held()) await endLease(db, holder);
    },
  };
}
