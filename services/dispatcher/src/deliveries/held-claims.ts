import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';

// Short, and renewed while an attempt runs: what a killed process had in flight is sent again within seconds.
export const leaseMs = 10_000;

type Held = { delivery: ClaimedDelivery; attempt: Promise<unknown>; since: number };

export type HeldClaims = {
  /** Keeps a claim until its attempt is recorded, or lost; `attempt` never rejects. */
  hold(delivery: ClaimedDelivery, attempt: Promise<unknown>): void;
  /** How many more may be held. */
  room(): number;
  /** Those that have been held for longer than this. */
  longerThan(ms: number): ClaimedDelivery[];
  /** Resolves when those that are held now are not any more. */
  settled(): Promise<void>;
};

/** The claims that this process holds: an attempt's, from before it is made until it is on record. */
export function heldClaims(atMost: number): HeldClaims {
  const held = new Set<Held>();
  return {
    hold: (delivery, attempt) => {
      const claim = { delivery, attempt, since: Date.now() };
      held.add(claim);
      void attempt.then(() => held.delete(claim));
    },
    room: () => atMost - held.size,
    longerThan: (ms) =>
      [...held].filter(({ since }) => Date.now() - since > ms).map(({ delivery }) => delivery),
    settled: async () => {
      await Promise.all([...held].map(({ attempt }) => attempt));
    },
  };
}
