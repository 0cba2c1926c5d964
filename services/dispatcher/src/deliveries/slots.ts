import type { DueDelivery } from '@payments/database/deliveries/due';

/** The groups that a delivery's slot counts in, and the most slots of each. */
type Limits = readonly [of: string, most: number][];

/** A due delivery that gets a slot. */
export type Chosen = DueDelivery & { limits: Limits };

export type SlotsOptions = {
  /** The most attempts in flight. */
  concurrency: number;
  /** The most attempts in flight to one proven endpoint. */
  perEndpoint: number;
};

export type Slots = ReturnType<typeof createSlots>;

// One failure may be chance.
const failuresByChance = 1;
const endpointsRemembered = 10_000;

/**
 * Shares a dispatcher's slots among endpoints. A delivery holds a slot from its claim to its record. An endpoint is
 * proven while its last attempt here succeeded. An unproven one may hold two slots, a failing one a single slot.
 */
export function createSlots({ concurrency, perEndpoint }: SlotsOptions) {
  const held = new Map<string, Limits>();
  // Least recently proven first.
  const proven = new Set<string>();
  // Hanging endpoints hold their slots until the time-out. Failing endpoints share a quarter of all slots, and all
  // unproven ones half. So first attempts find a slot, and proven endpoints keep half.
  const all: Limits = [['all', concurrency]];
  const unproven: Limits = [...all, ['unproven', Math.ceil(concurrency / 2)]];
  const failing: Limits = [...unproven, ['failing', Math.ceil(concurrency / 4)]];

  const limitsOf = ({ endpoint, failures, circuit }: DueDelivery): Limits => {
    if (circuit !== 'closed' || failures > failuresByChance) return [...failing, [endpoint, 1]];
    if (proven.has(endpoint)) return [...all, [endpoint, perEndpoint]];
    return [...unproven, [endpoint, Math.min(2, perEndpoint)]];
  };

  return {
    inFlight: () => held.size,
    free: () => concurrency - held.size,
    /** @returns the deliveries that may be attempted now, in the given order */
    choose(due: readonly DueDelivery[]): Chosen[] {
      const counts = new Map<string, number>();
      const take = (limits: Limits) => {
        for (const [of] of limits) counts.set(of, (counts.get(of) ?? 0) + 1);
      };
      for (const limits of held.values()) take(limits);
      const chosen: Chosen[] = [];
      for (const delivery of due) {
        const limits = limitsOf(delivery);
        const isFull = limits.some(([of, most]) => (counts.get(of) ?? 0) >= most);
        if (delivery.circuit === 'open' || isFull) continue;
        take(limits);
        chosen.push({ ...delivery, limits });
      }
      return chosen;
    },
    begin: ({ id, limits }: Chosen) => void held.set(id, limits),
    /** @param endpointSucceeded the attempt's verdict on its endpoint; null for none */
    end({ id, endpoint }: { id: string; endpoint: string }, endpointSucceeded: boolean | null): void {
      held.delete(id);
      if (endpointSucceeded !== null) proven.delete(endpoint);
      if (endpointSucceeded) proven.add(endpoint);
      if (proven.size > endpointsRemembered) proven.delete(proven.values().next().value as string);
    },
  };
}
