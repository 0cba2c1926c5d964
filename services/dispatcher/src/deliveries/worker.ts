import type { ClaimBounds } from '@payments/database/claim-bounds';
import type { ClaimedDelivery } from '@payments/database/claimed-delivery';
import type { Database } from '@payments/database/connection';
import { putOffDeliveries, renewLeases } from '@payments/database/delivery-attempts';
import { claimBehindBacklog, claimDueDeliveries, claimProbes } from '@payments/database/delivery-claims';
import { takeReserved } from '@payments/database/reserved-deliveries';
import type { MadeAttempt } from '@payments/metrics/deliveries';
import { startLoop } from '@payments/runtime/loop';
import type { BreakerPolicy } from '@payments/webhooks/breaker';
import type { Sender } from '@payments/webhooks/sender';
import type { Logger } from 'pino';
import type { AttemptPolicy } from './attempt.ts';
import { deliver } from './deliver.ts';
import { heldClaims } from './held-claims.ts';
import { hostBreakers } from './hosts.ts';
import { inFlightDeliveries, type Slots } from './in-flight.ts';
import { lookAgain } from './look-again.ts';
import { lookBehind } from './look-behind.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createRecorder } from './recorder.ts';
import { whileAway } from './while-away.ts';

export type WorkerOptions = {
  db: Database;
  sender: Sender;
  log: Logger;
  /** Hears of every attempt that was made. */
  onAttempt: (attempt: MadeAttempt) => void;
  policy: AttemptPolicy;
  /** When a whole host is left alone. */
  hostBreaker: BreakerPolicy;
  /** Attempts under way at most, in all and to one endpoint. */
  concurrency: number;
  concurrencyPerEndpoint: number;
};

export type DeliveryWorker = {
  /** Says that something fell due. */
  wake(): void;
  /**
   * Attempts the deliveries of these events that are reserved: they need not be claimed.
   * @returns the ids of events that have no delivery, as soon as those attempts have begun
   */
  takeReserved(eventIds: readonly string[]): Promise<string[]>;
  /** Attempts under way. */
  underWay(): number;
  /** Hosts that are left alone. */
  hostsResting(): number;
  /** Claims nothing more, and lets the attempts under way end and be recorded. */
  stop(): Promise<void>;
};

/** How many were claimed, and whether that was all that is due to endpoints with free slots. */
type Taken = { claimed: number; isAll: boolean };

const pollMs = 500;
// Short, and renewed while an attempt runs: what a killed process had in flight is sent again within seconds.
const leaseMs = 10_000;
const renewMs = 3_000;
const probesAtOnce = 16;
// A slot is free as soon as the receiver has taken the webhook; how many may wait to be recorded as that is bounded. With
// fewer than this, receivers that answer at once would wait for records, which begin 20 ms apart.
const heldAtMost = (concurrency: number) => Math.max(64, concurrency * 4);

/** Attempts due deliveries for as long as it runs; any number of workers share the ledger. */
export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { db, log, concurrency, concurrencyPerEndpoint: perEndpoint } = options;
  const inFlight = inFlightDeliveries({ concurrency, perEndpoint });
  const held = heldClaims(heldAtMost(concurrency));
  const recorder = createRecorder(db, { patienceMs: leaseMs, onReleased: () => loop.wake() });
  const hosts = hostBreakers(options.hostBreaker, options.policy.now);

  const again = lookAgain(() => held.room() > 0);

  const start = (delivery: ClaimedDelivery) => {
    const slot = inFlight.begin(delivery);
    // As the receiver takes it, and again as that is on record: then one more claim may be held. A claim may also take
    // what the last could not if the endpoint had no other slot, or works again.
    const free = (succeeded: boolean) => {
      const hadNoOther = slot.free(succeeded);
      const worksAgain = succeeded && delivery.failures > 0;
      if (again.freed() || hadNoOther || worksAgain) loop.wake();
    };
    const attempt = deliver(delivery, { ...options, recorder, hosts, onTaken: () => free(true) }).catch(
      (error: unknown) => {
        log.error(
          { err: error, deliveryId: delivery.id },
          'an attempt was not recorded; it will be made again',
        );
        return false;
      },
    );
    held.hold(delivery, attempt);
    void attempt.then(free);
  };
  const boundsOf = (slots: Slots): ClaimBounds => {
    const limit = Math.max(0, Math.min(slots.limit, held.room()));
    return { ...slots, limit, leaseMs };
  };

  const startAll = async (claimed: readonly ClaimedDelivery[]) => {
    const { admitted, resting } = hosts.sort(claimed);
    for (const delivery of admitted) start(delivery);
    // Nobody else would: left as they are they would be taken for attempts that were lost.
    if (resting.length > 0) await whileAway(leaseMs, () => putOffDeliveries(db, resting));
  };
  // One claim at a time: each must count what the one before has started.
  const claiming = oneAtATime();
  const take = (claimMore: typeof claimDueDeliveries, slotsOf: () => Slots): Promise<Taken> =>
    claiming(async () => {
      // Receivers that are not known got a single slot each.
      if (inFlight.isTight()) again.fallsShort();
      const bounds = boundsOf(slotsOf());
      const claimed = bounds.limit > 0 ? await claimMore(db, bounds) : [];
      await startAll(claimed);
      const isAll = claimed.length < bounds.limit;
      if (!isAll) again.fallsShort();
      return { claimed: claimed.length, isAll };
    });
  const look = lookBehind(() => loop.wake());
  const lookFurther = (slotsOf: () => Slots): Promise<number> =>
    look(async () => {
      let tookMs = 0;
      const timed: typeof claimBehindBacklog = async (on, bounds) => {
        const since = performance.now();
        const found = await claimBehindBacklog(on, bounds);
        tookMs = performance.now() - since;
        return found;
      };
      return { ...(await take(timed, slotsOf)), tookMs };
    });

  const takeInTurn = async (): Promise<number> => {
    let claimed = 0;
    // Receivers that fail have their share; first attempts, and then those that answer well, go on beside them.
    for (const slotsOf of [inFlight.slots, inFlight.slotsForFirst, inFlight.slotsKept]) {
      const taken = await take(claimDueDeliveries, slotsOf);
      claimed += taken.claimed;
      if (taken.isAll) return claimed + (await lookFurther(slotsOf));
    }
    return claimed + (await lookFurther(inFlight.slotsKept));
  };

  const loop = startLoop({
    intervalMs: pollMs,
    turn: () => again.look(takeInTurn),
    onError: (error) => log.warn({ err: error }, 'claiming deliveries failed; trying again'),
  });

  const probes = startLoop({
    intervalMs: pollMs,
    turn: async () => {
      const limit = Math.min(probesAtOnce, inFlight.probes());
      if (limit > 0) await startAll(await claimProbes(db, { limit, leaseMs }));
      return false;
    },
    onError: (error) => log.warn({ err: error }, 'probing endpoints failed; trying again'),
  });

  const renewal = startLoop({
    intervalMs: renewMs,
    turn: async () => {
      const claims = held.longerThan(renewMs / 2);
      if (claims.length > 0) await renewLeases(db, claims, leaseMs);
      return false;
    },
    onError: (error) => log.warn({ err: error }, 'renewing leases failed; trying again'),
  });

  return {
    wake: loop.wake,
    takeReserved: (eventIds) =>
      claiming(async () => {
        const taken = await takeReserved(db, eventIds, boundsOf(inFlight.slotsForFirst()));
        await startAll(taken.claimed);
        if (taken.isMoreDue) loop.wake();
        return taken.missing;
      }),
    underWay: inFlight.size,
    hostsResting: hosts.resting,
    stop: async () => {
      await Promise.all([loop.stop(), probes.stop()]);
      await held.settled();
      await renewal.stop();
    },
  };
}
