import { isOfFailing } from '@payments/database/deliveries/claim-bounds';
import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { type Endpoint, endpointCaps } from './endpoint-caps.ts';

type Running = { delivery: ClaimedDelivery; endpoint: Endpoint };

/** What a claim may take: in all, of endpoints that are named, of each of the others, and whether of failing ones. */
export type Slots = { limit: number; free: Map<string, number>; perEndpoint: number; failing: boolean };

// Of all slots, what these may hold together: receivers that fail; all that have not answered well here, those that
// fail among them; probes of open breakers. So a first attempt finds a slot, and a receiver in use does in any case.
const failingShare = 1 / 2;
const doubtfulShare = 7 / 8;
const probesShare = 1 / 8;

/** The slot of an attempt, held from its claim on. */
export type Slot = {
  /**
   * Gives it back, once; `succeeded` is what the receiver made of the attempt.
   * @returns whether a claim may take something now that the last could not: the endpoint had no other slot
   */
  free(succeeded: boolean): boolean;
};

export type InFlightOptions = {
  /** Attempts at most, in all. */
  concurrency: number;
  /** Attempts at most to one endpoint. */
  perEndpoint: number;
};

export type InFlightDeliveries = ReturnType<typeof inFlightDeliveries>;

/**
 * Keeps count of the attempts that this process has under way, in all and to each endpoint. Receivers that hang hold
 * a slot each, not all of them; and however many they are, some slots are kept for first attempts, and some for
 * receivers that answer well.
 */
export function inFlightDeliveries({ concurrency, perEndpoint }: InFlightOptions) {
  const running = new Set<Running>();
  const endpoints = endpointCaps(perEndpoint);

  const count = (which: (run: Running) => boolean) => [...running].filter(which).length;
  const free = () => concurrency - running.size;
  const freeOfShare = (share: number, which: (run: Running) => boolean) =>
    Math.max(0, Math.min(free(), Math.ceil(concurrency * share) - count(which)));
  // Once half of the slots are at stake, a receiver that is not known gets one to show what it does.
  const isTight = () => count(isDoubtful) >= concurrency * failingShare;

  const freeOfDoubtful = () => freeOfShare(doubtfulShare, isDoubtful);
  const freeOfFailing = () => Math.min(freeOfDoubtful(), freeOfShare(failingShare, isFailing));
  const slotsOfAny = (tight = isTight()) => ({
    limit: freeOfDoubtful(),
    free: endpoints.freeOfBusy(tight),
    perEndpoint: endpoints.freeOfUnknown(tight),
  });

  return {
    size: () => running.size,
    /** For a claim of whatever is due. */
    slots: (): Slots => ({ ...slotsOfAny(), limit: freeOfFailing(), failing: true }),
    /** For a claim of what is due to receivers that do not fail, when those that do have their share. */
    slotsForFirst: (): Slots => ({ ...slotsOfAny(), failing: false }),
    /** For a claim of what is due to receivers that answer well, when the others have their share. */
    slotsKept: (): Slots => ({ limit: free(), free: endpoints.freeOfGood(), perEndpoint: 0, failing: false }),
    /** How many endpoints may be probed. */
    probes: () => freeOfShare(probesShare, isProbe),
    /** Whether receivers that are not known get a single slot each. */
    isTight,
    begin: (delivery: ClaimedDelivery): Slot => {
      const endpoint = endpoints.begin(delivery.endpoint);
      const run = { delivery, endpoint };
      running.add(run);
      return {
        free: (succeeded) => {
          if (!running.has(run)) return false;
          const wasFull = endpoints.freeOf(endpoint, !endpoint.answersWell && isTight()) === 0;
          running.delete(run);
          endpoints.end(endpoint, succeeded);
          return wasFull;
        },
      };
    },
  };
}

const isDoubtful = ({ endpoint }: Running) => !endpoint.answersWell;
const isFailing = ({ delivery }: Running) => isOfFailing(delivery);
const isProbe = ({ delivery }: Running) => delivery.probe;
