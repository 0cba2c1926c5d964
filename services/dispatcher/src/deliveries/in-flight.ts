import { isOfFailing } from '@payments/database/claim-bounds';
import type { ClaimedDelivery } from '@payments/database/claimed-delivery';

type Running = { delivery: ClaimedDelivery; endpoint: Endpoint };
type Endpoint = { running: number; cap: number; answersWell: boolean };

/** What a claim may take: in all, of endpoints that are named, of each of the others, and whether of failing ones. */
export type Slots = { limit: number; free: Map<string, number>; perEndpoint: number; failing: boolean };

// A receiver that this process knows nothing of yet.
const startCap = 4;
const endpointsKept = 10_000;
// Of all slots, what these may hold together: receivers that fail; all that have not answered well here, those that
// fail among them; probes of those parked. So a first attempt finds a slot, and a receiver in use does in any case.
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
 * Keeps count of the attempts that this process has under way, and of how many each endpoint may have: few at first,
 * one more with every success, one alone after a failure. So receivers that hang hold a slot each, not all of them;
 * and however many they are, some slots are kept for first attempts, and some for receivers that answer well.
 */
export function inFlightDeliveries({ concurrency, perEndpoint: maxCap }: InFlightOptions) {
  const running = new Set<Running>();
  // Least recently used first.
  const endpoints = new Map<string, Endpoint>();
  const perEndpoint = Math.min(startCap, maxCap);

  const forgetOldest = () => {
    for (const [key, { running: attempts }] of endpoints) {
      if (endpoints.size <= endpointsKept) return;
      if (attempts === 0) endpoints.delete(key);
    }
  };
  const begin = (key: string): Endpoint => {
    const endpoint = endpoints.get(key) ?? { running: 0, cap: perEndpoint, answersWell: false };
    endpoints.delete(key);
    endpoints.set(key, endpoint);
    endpoint.running += 1;
    forgetOldest();
    return endpoint;
  };
  const end = (endpoint: Endpoint, succeeded: boolean) => {
    endpoint.running -= 1;
    endpoint.answersWell = succeeded;
    endpoint.cap = succeeded ? Math.min(maxCap, endpoint.cap + 1) : 1;
  };

  const count = (which: (run: Running) => boolean) => [...running].filter(which).length;
  const free = () => concurrency - running.size;
  const freeOfShare = (share: number, which: (run: Running) => boolean) =>
    Math.max(0, Math.min(free(), Math.ceil(concurrency * share) - count(which)));
  // Once half of the slots are at stake, a receiver that is not known gets one to show what it does.
  const isTight = () => count(isDoubtful) >= concurrency * failingShare;
  const freeOf = ({ cap, running, answersWell }: Endpoint, tight: boolean) =>
    Math.max(0, (answersWell || !tight ? cap : 1) - running);
  const named = (slotsOf: (endpoint: Endpoint) => number | undefined) => {
    const free = new Map<string, number>();
    for (const [key, endpoint] of endpoints) {
      const slots = slotsOf(endpoint);
      if (slots !== undefined) free.set(key, slots);
    }
    return free;
  };
  // An idle one is not named, where it may have at least what an unknown one may: thousands make a claim slow.
  const freeOfBusy = (tight: boolean) =>
    named((endpoint) => {
      const slots = freeOf(endpoint, tight);
      return endpoint.running > 0 || slots < perEndpoint ? slots : undefined;
    });
  const freeOfGood = () => named((endpoint) => (endpoint.answersWell ? freeOf(endpoint, true) : undefined));

  const freeOfDoubtful = () => freeOfShare(doubtfulShare, isDoubtful);
  const freeOfFailing = () =>
    Math.min(
      freeOfDoubtful(),
      freeOfShare(failingShare, ({ delivery }) => isOfFailing(delivery)),
    );
  const slotsOfAny = (tight = isTight()) => ({
    limit: freeOfDoubtful(),
    free: freeOfBusy(tight),
    perEndpoint: tight ? 1 : perEndpoint,
  });

  return {
    size: () => running.size,
    /** For a claim of whatever is due. */
    slots: (): Slots => ({ ...slotsOfAny(), limit: freeOfFailing(), failing: true }),
    /** For a claim of what is due to receivers that do not fail, when those that do have their share. */
    slotsForFirst: (): Slots => ({ ...slotsOfAny(), failing: false }),
    /** For a claim of what is due to receivers that answer well, when the others have their share. */
    slotsKept: (): Slots => ({
      limit: free(),
      free: freeOfGood(),
      perEndpoint: 0,
      failing: false,
    }),
    /** How many endpoints may be probed. */
    probes: () => freeOfShare(probesShare, ({ delivery }) => delivery.probe),
    /** Whether receivers that are not known get a single slot each. */
    isTight,
    begin: (delivery: ClaimedDelivery): Slot => {
      const endpoint = begin(delivery.endpoint);
      const run = { delivery, endpoint };
      running.add(run);
      return {
        free: (succeeded) => {
          if (!running.has(run)) return false;
          const wasFull = freeOf(endpoint, !endpoint.answersWell && isTight()) === 0;
          running.delete(run);
          end(endpoint, succeeded);
          return wasFull;
        },
      };
    },
  };
}

const isDoubtful = ({ endpoint }: Running) => !endpoint.answersWell;
