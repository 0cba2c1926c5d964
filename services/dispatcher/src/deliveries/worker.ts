import { randomUUID } from 'node:crypto';
import type { Database } from '@payments/database/connection';
import { type ClaimedDelivery, claimDeliveries } from '@payments/database/deliveries/claim';
import type { EndpointJudge } from '@payments/database/deliveries/endpoints';
import { endLease, renewLease } from '@payments/database/deliveries/leases';
import { startLoop } from '@payments/runtime/loop';
import { type DeliverOptions, deliver } from './deliver.ts';
import { dueQueue } from './due-queue.ts';
import { createRecorder } from './recorder.ts';
import { type Chosen, createSlots, type SlotsOptions } from './slots.ts';

export type WorkerOptions = Omit<DeliverOptions, 'record'> &
  SlotsOptions & {
    db: Database;
    judge: EndpointJudge;
    /** The longest that an attempt can take. */
    attemptMs: number;
  };

// JetStream announces new deliveries. The poll finds retries, and everything while NATS is down.
const pollMs = 500;
const probeMarginMs = 5_000;

/** Attempts due deliveries until stopped, beside any number of other dispatchers. */
export function startDeliveryWorker(options: WorkerOptions) {
  const { db, log } = options;
  const slots = createSlots(options);
  const findDue = dueQueue(db, slots);
  // Each attempt, and the name that it was claimed under.
  const inFlight = new Map<Promise<void>, string>();
  const lease = newLease(db, () => inFlight.values());
  const record = createRecorder({ ...options, onReleased: () => loop.wake() });
  // True if the last look left deliveries without a slot. If so, a slot that becomes free starts another look.
  let hasMore = false;
  // True if a slot became free during the present look. `hasMore` is set only at its end, so nothing has woken the loop:
  // another look follows.
  let isFreed = false;
  let isStopping = false;

  const begin = (delivery: ClaimedDelivery, chosen: Chosen) => {
    slots.begin(chosen);
    const attempt = deliver(delivery, { ...options, record }).then(({ endpointSucceeded }) => {
      slots.end(delivery, endpointSucceeded);
      inFlight.delete(attempt);
      isFreed = true;
      if (hasMore) loop.wake();
    });
    inFlight.set(attempt, delivery.claimedBy);
  };
  const claim = async (chosen: readonly Chosen[]): Promise<number> => {
    const probeMs = options.attemptMs + probeMarginMs;
    const asked = { dispatcherId: lease.holder(), deliveries: chosen, probeMs };
    const claimed = await claimDeliveries(db, asked).catch((error: unknown) => {
      lease.replace();
      throw error;
    });
    const byId = new Map(chosen.map((one) => [one.id, one]));
    for (const delivery of claimed) begin(delivery, byId.get(delivery.id) as Chosen);
    return claimed.length;
  };

  const turn = async (): Promise<boolean> => {
    // A new name needs a lease before it claims.
    await lease.renew();
    hasMore = isStopping || slots.free() <= 0;
    if (hasMore) return false;
    isFreed = false;
    const found = await findDue();
    if (isStopping) return false;
    const claimed = await claim(found.chosen);
    hasMore = found.hasMore;
    return found.goesOn || (hasMore && (isFreed || claimed > 0));
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'claiming deliveries failed; trying again');
  const loop = startLoop({ intervalMs: pollMs, turn, onError });
  // A look at a slow database may take longer than a lease, so the lease of what is in flight does not wait for it.
  const renewing = startLoop({
    intervalMs: renewMs / 3,
    turn: async () => {
      await lease.renew();
      return false;
    },
    onError: (error) => log.warn({ err: error }, 'the lease was not renewed; trying again'),
  });

  return {
    /** Looks for due deliveries now, instead of at the next poll. */
    wake: loop.wake,
    /** Attempts in flight. */
    inFlight: slots.inFlight,
    /** Stops claiming, and finishes and records the attempts in flight. */
    stop: async () => {
      isStopping = true;
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
      await loop.stop();
      // A claim that the loop was waiting for may have begun more.
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
      await renewing.stop();
      await lease.release().catch(onError);
    },
  };
}

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
      const renewed = current;
      for (const holder of held()) await renewLease(db, holder, leaseMs);
      if (renewed === current) renewedAt = now;
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
