import type { Database } from '@payments/database/connection';
import type { ClaimBounds } from '@payments/database/deliveries/claim-bounds';
import { claimBehindBacklog, claimDueDeliveries } from '@payments/database/deliveries/claims';
import { takeReserved } from '@payments/database/deliveries/reserved';
import type { AttemptsBegun, UnderWay } from './attempts-begun.ts';
import { leaseMs } from './held-claims.ts';
import type { Slots } from './in-flight.ts';
import { lookBehind } from './look-behind.ts';
import { oneAtATime } from './one-at-a-time.ts';

export type ClaimTurns = {
  /** Claims what is due and may be attempted, and begins that. @returns whether another turn should follow at once */
  turn(): Promise<boolean>;
  /** Begins attempts at the deliveries of these events that are reserved. */
  takeReserved(eventIds: readonly string[]): Promise<void>;
};

/** How many were claimed, and whether that was all that is due to endpoints with free slots. */
type Taken = { claimed: number; isAll: boolean };

export function claimTurns(
  db: Database,
  attempts: AttemptsBegun,
  { inFlight, held, again, wake }: UnderWay,
): ClaimTurns {
  const boundsOf = (slots: Slots): ClaimBounds => {
    const limit = Math.max(0, Math.min(slots.limit, held.room()));
    return { ...slots, limit, leaseMs };
  };
  // One claim at a time: each must count what the one before has started.
  const claiming = oneAtATime();
  const take = (claimMore: typeof claimDueDeliveries, slotsOf: () => Slots): Promise<Taken> =>
    claiming(async () => {
      // Receivers that are not known got a single slot each.
      if (inFlight.isTight()) again.fallsShort();
      const bounds = boundsOf(slotsOf());
      const claimed = bounds.limit > 0 ? await claimMore(db, bounds) : [];
      await attempts.begin(claimed);
      const isAll = claimed.length < bounds.limit;
      if (!isAll) again.fallsShort();
      return { claimed: claimed.length, isAll };
    });

  const look = lookBehind(wake);
  const takeBehind = (slotsOf: () => Slots): Promise<number> =>
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
      if (taken.isAll) return claimed + (await takeBehind(slotsOf));
    }
    return claimed + (await takeBehind(inFlight.slotsKept));
  };

  return {
    turn: () => again.look(takeInTurn),
    takeReserved: (eventIds) =>
      claiming(async () => {
        const taken = await takeReserved(db, eventIds, boundsOf(inFlight.slotsForFirst()));
        await attempts.begin(taken.claimed);
        if (taken.isMoreDue) wake();
      }),
  };
}
