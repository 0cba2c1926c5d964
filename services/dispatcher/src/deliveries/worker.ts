import { claimProbes } from '@payments/database/deliveries/claims';
import { renewLeases } from '@payments/database/deliveries/leases';
import { startLoop } from '@payments/runtime/loop';
import { type AttemptsOptions, attemptsBegun, type UnderWay } from './attempts-begun.ts';
import { claimTurns } from './claim-turns.ts';
import { heldClaims, leaseMs } from './held-claims.ts';
import { inFlightDeliveries } from './in-flight.ts';
import { lookAgain } from './look-again.ts';

export type WorkerOptions = AttemptsOptions & {
  /** Attempts under way at most, in all and to one endpoint. */
  concurrency: number;
  concurrencyPerEndpoint: number;
};

export type DeliveryWorker = {
  /** Begins attempts at the deliveries of these events that are reserved: they need not be claimed. */
  takeReserved(eventIds: readonly string[]): Promise<void>;
  /** Attempts under way. */
  underWay(): number;
  /** Hosts that are left alone. */
  hostsResting(): number;
  /** Claims nothing more, and lets the attempts under way end and be recorded. */
  stop(): Promise<void>;
};

const pollMs = 500;
const renewMs = 3_000;
const probesAtOnce = 16;
// A slot is free as soon as the receiver has taken the webhook; how many may wait to be recorded as that is bounded. With
// fewer than this, receivers that answer at once would wait for records, which begin 20 ms apart.
const heldAtMost = (concurrency: number) => Math.max(64, concurrency * 4);

/** Attempts due deliveries for as long as it runs; any number of workers share the ledger. */
export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { db, concurrency, concurrencyPerEndpoint: perEndpoint } = options;
  const inFlight = inFlightDeliveries({ concurrency, perEndpoint });
  const held = heldClaims(heldAtMost(concurrency));
  const again = lookAgain(() => held.room() > 0);
  const underWay: UnderWay = { inFlight, held, again, wake: () => loop.wake() };
  const attempts = attemptsBegun(options, underWay);
  const turns = claimTurns(db, attempts, underWay);

  const repeat = (what: string, intervalMs: number, turn: () => Promise<boolean>) => {
    const onError = (error: unknown) => options.log.warn({ err: error }, `${what} failed; trying again`);
    return startLoop({ intervalMs, turn, onError });
  };
  const loop = repeat('claiming deliveries', pollMs, turns.turn);
  const probes = repeat('probing endpoints', pollMs, async () => {
    const limit = Math.min(probesAtOnce, inFlight.probes());
    if (limit > 0) await attempts.begin(await claimProbes(db, { limit, leaseMs }));
    return false;
  });
  const renewal = repeat('renewing leases', renewMs, async () => {
    const claims = held.longerThan(renewMs / 2);
    if (claims.length > 0) await renewLeases(db, claims, leaseMs);
    return false;
  });

  return {
    takeReserved: turns.takeReserved,
    underWay: inFlight.size,
    hostsResting: attempts.hostsResting,
    stop: async () => {
      await Promise.all([loop.stop(), probes.stop()]);
      await held.settled();
      await renewal.stop();
    },
  };
}
