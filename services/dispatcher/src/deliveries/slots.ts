import type { DueDelivery } from '@payments/database/deliveries/due';
import { type Claimant, fairShare, fullStores, type Sizes, type Standing } from './fair-share.ts';

/** A due delivery that gets a slot. */
export type Chosen = DueDelivery & Claimant;

export type SlotsOptions = Sizes;

export type Slots = ReturnType<typeof createSlots>;

// One failure may be chance.
const failuresByChance = 1;
const endpointsRemembered = 10_000;

/**
 * A dispatcher's slots. A delivery holds a slot from its claim to its record. An endpoint is proven while its last
 * attempt here succeeded.
 */
export function createSlots(sizes: SlotsOptions) {
  const held = new Map<string, Claimant>();
  // Least recently proven first.
  const proven = new Set<string>();

  const standingOf = ({ endpoint, failures, circuit }: DueDelivery): Standing => {
    if (circuit !== 'closed' || failures > failuresByChance) return 'failing';
    return proven.has(endpoint) ? 'proven' : 'unproven';
  };

  return {
    inFlight: () => held.size,
    free: () => sizes.concurrency - held.size,
    /** @returns the stores that get no other slot now for an endpoint of this standing */
    fullStores: (standing: Standing) => fullStores(standing, [...held.values()], sizes),
    /** @returns the deliveries that may be attempted now, by the rule of fairness */
    choose(due: readonly DueDelivery[]): Chosen[] {
      const claimants = due
        .filter(({ circuit }) => circuit !== 'open')
        .map((delivery) => ({ ...delivery, standing: standingOf(delivery) }));
      return fairShare(claimants, [...held.values()], sizes);
    },
    begin: ({ id, storeId, endpoint, standing }: Chosen) =>
      void held.set(id, { storeId, endpoint, standing }),
    /** @param endpointSucceeded the attempt's verdict on its endpoint; null for none */
    end({ id, endpoint }: { id: string; endpoint: string }, endpointSucceeded: boolean | null): void {
      held.delete(id);
      if (endpointSucceeded !== null) proven.delete(endpoint);
      if (endpointSucceeded) proven.add(endpoint);
      if (proven.size > endpointsRemembered) proven.delete(proven.values().next().value as string);
    },
  };
}
