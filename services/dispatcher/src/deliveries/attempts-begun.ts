import type { Database } from '@payments/database/connection';
import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { putOffDeliveries } from '@payments/database/deliveries/leases';
import type { BreakerPolicy } from '@payments/webhooks/breaker';
import { type DeliverOptions, deliver } from './deliver.ts';
import { type HeldClaims, leaseMs } from './held-claims.ts';
import { hostBreakers } from './hosts.ts';
import type { InFlightDeliveries } from './in-flight.ts';
import type { LookAgain } from './look-again.ts';
import { createRecorder } from './recorder.ts';
import { whileAway } from './while-away.ts';

/** How attempts are made, and when a whole host is left alone. */
export type AttemptsOptions = Omit<DeliverOptions, 'recorder' | 'hosts' | 'onTaken'> & {
  db: Database;
  hostBreaker: BreakerPolicy;
};

/** What this process has under way, and what is told when that lets more be claimed. */
export type UnderWay = {
  inFlight: InFlightDeliveries;
  held: HeldClaims;
  again: LookAgain;
  wake: () => void;
};

export type AttemptsBegun = {
  /** Begins attempts at what was claimed; what goes to a host that rests is given back. */
  begin(claimed: readonly ClaimedDelivery[]): Promise<void>;
  /** Hosts that are left alone. */
  hostsResting(): number;
};

export function attemptsBegun(
  options: AttemptsOptions,
  { inFlight, held, again, wake }: UnderWay,
): AttemptsBegun {
  const { db, log } = options;
  const recorder = createRecorder(db, { patienceMs: leaseMs, onReleased: wake });
  const hosts = hostBreakers(options.hostBreaker, options.policy.now);

  const begin = (delivery: ClaimedDelivery) => {
    const slot = inFlight.begin(delivery);
    // As the receiver takes it, and again as that is on record: then one more claim may be held. A claim may also take
    // what the last could not if the endpoint had no other slot, or works again.
    const free = (succeeded: boolean) => {
      const hadNoOther = slot.free(succeeded);
      const worksAgain = succeeded && delivery.failures > 0;
      if (again.freed() || hadNoOther || worksAgain) wake();
    };
    const onTaken = () => free(true);
    const attempt = deliver(delivery, { ...options, recorder, hosts, onTaken }).catch((error: unknown) => {
      const ids = { deliveryId: delivery.id };
      log.error({ err: error, ...ids }, 'an attempt was not recorded; it will be made again');
      return false;
    });
    held.hold(delivery, attempt);
    void attempt.then(free);
  };

  return {
    hostsResting: hosts.resting,
    begin: async (claimed) => {
      const { admitted, resting } = hosts.sort(claimed);
      for (const delivery of admitted) begin(delivery);
      // Nobody else would: left as they are they would be taken for attempts that were lost.
      if (resting.length > 0) await whileAway(leaseMs, () => putOffDeliveries(db, resting));
    },
  };
}
