import type { ClaimBounds } from '@payments/database/claim-bounds';
import type { ClaimedDelivery } from '@payments/database/claimed-delivery';
import type { Database } from '@payments/database/connection';
import { putOffDeliveries, renewLeases } from '@payments/database/delivery-attempts';
import { claimBehindBacklog, claimDueDeliveries, claimProbes } from '@payments/database/delivery-claims';
import type { Entry } from '@payments/database/ledger';
import { createdAtOf } from '@payments/domain/identifiers';
import type { MadeAttempt } from '@payments/metrics/deliveries';
import { startLoop } from '@payments/runtime/loop';
import { type Span, traced } from '@payments/tracing/tracing';
import type { BreakerPolicy } from '@payments/webhooks/breaker';
import type { Sender } from '@payments/webhooks/sender';
import type { Logger } from 'pino';
import { type AttemptPolicy, makeAttempt } from './attempt.ts';
import { type HostBreakers, hostBreakers } from './hosts.ts';
import { inFlightDeliveries, type Slots } from './in-flight.ts';
import { lookBehind } from './look-behind.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { createRecorder, type Recorder } from './recorder.ts';

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
  /** Enters deliveries and attempts at once what the bounds allow: it need not be claimed from the queue. */
  enter(enterAndClaim: (bounds: ClaimBounds) => Promise<Entry>): Promise<void>;
  /** Attempts under way. */
  underWay(): number;
  /** Hosts that are left alone. */
  hostsResting(): number;
  /** Claims nothing more, and lets the attempts under way end and be recorded. */
  stop(): Promise<void>;
};

type Taken = { claimed: number; isAll: boolean };

const pollMs = 500;
// Short, and renewed while an attempt runs: what a killed process had in flight is sent again within seconds.
const leaseMs = 10_000;
const renewMs = 3_000;
const probesAtOnce = 16;

/** Attempts due deliveries for as long as it runs; any number of workers share the ledger. */
export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { db, log, concurrency, concurrencyPerEndpoint: perEndpoint } = options;
  const inFlight = inFlightDeliveries({ concurrency, perEndpoint });
  const recorder = createRecorder(db, leaseMs);
  const hosts = hostBreakers(options.hostBreaker, options.policy.now);

  const start = (delivery: ClaimedDelivery) => {
    const attempt = deliver(options, recorder, hosts, delivery).catch((error: unknown) => {
      log.error(
        { err: error, deliveryId: delivery.id },
        'an attempt was not recorded; it will be made again',
      );
      return undefined;
    });
    inFlight.add(delivery, attempt, () => loop.wake());
  };

  const startAll = async (claimed: readonly ClaimedDelivery[]) => {
    const { admitted, resting } = hosts.sort(claimed);
    for (const delivery of admitted) start(delivery);
    if (resting.length > 0) await putOffDeliveries(db, resting);
  };
  // One claim at a time: each must count what the one before has started.
  const claiming = oneAtATime();
  const take = (claimMore: typeof claimDueDeliveries, slotsOf: () => Slots): Promise<Taken> =>
    claiming(async () => {
      const slots = slotsOf();
      if (slots.limit <= 0) return { claimed: 0, isAll: false };
      const claimed = await claimMore(db, { leaseMs, ...slots });
      await startAll(claimed);
      return { claimed: claimed.length, isAll: claimed.length < slots.limit };
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

  const loop = startLoop({
    intervalMs: pollMs,
    turn: async () => {
      let claimed = 0;
      // Receivers that fail have their share; first attempts, and then those that answer well, go on beside them.
      for (const slotsOf of [inFlight.slots, inFlight.slotsForFirst, inFlight.slotsKept]) {
        const taken = await take(claimDueDeliveries, slotsOf);
        claimed += taken.claimed;
        if (taken.isAll) return claimed + (await lookFurther(slotsOf)) > 0;
      }
      return claimed + (await lookFurther(inFlight.slotsKept)) > 0;
    },
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
      const running = inFlight.longerThan(renewMs / 2);
      if (running.length > 0) await renewLeases(db, running, leaseMs);
      return false;
    },
    onError: (error) => log.warn({ err: error }, 'renewing leases failed; trying again'),
  });

  return {
    wake: loop.wake,
    enter: (enterAndClaim) =>
      claiming(async () => {
        const { claimed, isMoreDue } = await enterAndClaim({ leaseMs, ...inFlight.slotsForFirst() });
        await startAll(claimed);
        if (isMoreDue) loop.wake();
      }),
    underWay: inFlight.size,
    hostsResting: hosts.resting,
    stop: async () => {
      await Promise.all([loop.stop(), probes.stop()]);
      await inFlight.settled();
      await renewal.stop();
    },
  };
}

/** @returns whether the receiver took it */
function deliver(
  options: WorkerOptions,
  recorder: Recorder,
  hosts: HostBreakers,
  delivery: ClaimedDelivery,
): Promise<boolean> {
  const { id, paymentId, storeId, attempt, traceParent: parent } = delivery;
  // What was not traced where it began is not traced from here on.
  if (!parent) return deliverNow(options, recorder, hosts, delivery);
  const attributes = {
    'delivery.id': id,
    'delivery.attempt': attempt,
    'payment.id': paymentId,
    'store.id': storeId,
  };
  return traced('deliver webhook', { kind: 'client', attributes, parent }, (span) =>
    deliverNow(options, recorder, hosts, delivery, span),
  );
}

async function deliverNow(
  { sender, log, policy, onAttempt }: WorkerOptions,
  recorder: Recorder,
  hosts: HostBreakers,
  delivery: ClaimedDelivery,
  span?: Span,
): Promise<boolean> {
  const { record, judge, hostSucceeded } = await makeAttempt(sender, delivery, policy);
  hosts.hear(delivery, hostSucceeded);
  span?.set({ 'delivery.state': record.state });
  if (record.statusCode !== null) span?.set({ 'http.response.status_code': record.statusCode });
  if (record.error !== null) span?.failed({ code: record.stage ?? String(record.statusCode) });
  const held = await recorder.record({ delivery, record, judge });
  const { id: deliveryId, paymentId, storeId, requestId, attempt } = delivery;
  const { statusCode, stage, error, state, durationMs } = record;
  const delayMs = attempt === 1 ? Date.now() - createdAtOf(deliveryId).getTime() : null;
  onAttempt({ state, stage, durationMs, delayMs });
  const ids = { deliveryId, eventId: deliveryId, paymentId, storeId, requestId, endpoint: delivery.endpoint };
  const outcome = { attempt, state, statusCode, stage, error, durationMs, leaseHeld: held };
  if (state === 'dead') log.error({ ...ids, ...outcome }, 'delivery is dead');
  else log.info({ ...ids, ...outcome }, 'delivery attempt');
  return state === 'delivered';
}
