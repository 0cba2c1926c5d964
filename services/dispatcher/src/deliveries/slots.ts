import type { DueDelivery } from '@payments/database/deliveries/due';

/** An endpoint in this dispatcher's view: its last attempt here succeeded; it had no attempt here; it fails. */
export type Standing = 'proven' | 'unproven' | 'failing';

/** A due delivery that gets a slot. */
export type Chosen = DueDelivery & { standing: Standing };

export type SlotsOptions = {
  /** The most attempts in flight. */
  concurrency: number;
  /** The most attempts in flight to one proven endpoint. */
  perEndpoint: number;
};

export type Slots = ReturnType<typeof createSlots>;

// One failure may be chance.
const failuresByChance = 1;
// Hanging endpoints hold their slots until the time-out. Failing endpoints share a quarter of all slots, and all
// unproven ones half. So first attempts find a slot, and proven endpoints keep half.
const shares = { failing: 1 / 4, unproven: 1 / 2 };
const endpointsRemembered = 10_000;

/**
 * Shares a dispatcher's slots among endpoints. A delivery holds a slot from its claim to its record. An unproven
 * endpoint may hold two, a failing one a single slot.
 */
export function createSlots({ concurrency, perEndpoint }: SlotsOptions) {
  const held = new Map<string, { endpoint: string; standing: Standing }>();
  // Least recently proven first.
  const proven = new Set<string>();
  const perStanding = { proven: perEndpoint, unproven: Math.min(2, perEndpoint), failing: 1 };

  const standingOf = ({ endpoint, failures, circuit }: DueDelivery): Standing => {
    if (circuit !== 'closed' || failures > failuresByChance) return 'failing';
    return proven.has(endpoint) ? 'proven' : 'unproven';
  };
  const room = () => {
    const standings = [...held.values()].map(({ standing }) => standing);
    const failing = standings.filter((standing) => standing === 'failing').length;
    const notProven = standings.filter((standing) => standing !== 'proven').length;
    return {
      all: concurrency - held.size,
      failing: Math.ceil(concurrency * shares.failing) - failing,
      notProven: Math.ceil(concurrency * shares.unproven) - notProven,
    };
  };

  return {
    inFlight: () => held.size,
    free: () => concurrency - held.size,
    /** @returns the deliveries that may be attempted now, in the given order */
    choose(due: readonly DueDelivery[]): Chosen[] {
      const left = room();
      const used = countBy(held.values());
      const chosen: Chosen[] = [];
      for (const delivery of due) {
        if (left.all <= 0) break;
        const standing = standingOf(delivery);
        const ofEndpoint = used.get(delivery.endpoint) ?? 0;
        if (delivery.circuit === 'open' || ofEndpoint >= perStanding[standing]) continue;
        if (standing !== 'proven' && left.notProven <= 0) continue;
        if (standing === 'failing' && left.failing <= 0) continue;
        left.all -= 1;
        if (standing !== 'proven') left.notProven -= 1;
        if (standing === 'failing') left.failing -= 1;
        used.set(delivery.endpoint, ofEndpoint + 1);
        chosen.push({ ...delivery, standing });
      }
      return chosen;
    },
    begin({ id, endpoint, standing }: Chosen): void {
      held.set(id, { endpoint, standing });
    },
    /** @param endpointSucceeded the attempt's verdict on its endpoint; null for none */
    end({ id, endpoint }: { id: string; endpoint: string }, endpointSucceeded: boolean | null): void {
      held.delete(id);
      if (endpointSucceeded !== null) proven.delete(endpoint);
      if (endpointSucceeded) proven.add(endpoint);
      if (proven.size > endpointsRemembered) proven.delete(proven.values().next().value as string);
    },
  };
}

function countBy(held: Iterable<{ endpoint: string }>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { endpoint } of held) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
  return counts;
}
