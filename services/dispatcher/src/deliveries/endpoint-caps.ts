/** An endpoint that this process knows: attempts under way, how many it may have, and what its last one came to. */
export type Endpoint = { running: number; cap: number; answersWell: boolean };

const startCap = 4;
const endpointsKept = 10_000;

/**
 * How many attempts each endpoint may have under way: few at first, one more with every success up to `maxCap`, one
 * alone after a failure. Where slots are tight, one that does not answer well may have a single one.
 */
export function endpointCaps(maxCap: number) {
  // Least recently used first.
  const endpoints = new Map<string, Endpoint>();
  const unknownCap = Math.min(startCap, maxCap);

  const forgetOldest = () => {
    for (const [key, { running }] of endpoints) {
      if (endpoints.size <= endpointsKept) return;
      if (running === 0) endpoints.delete(key);
    }
  };
  const named = (slotsOf: (endpoint: Endpoint) => number | undefined) => {
    const free = new Map<string, number>();
    for (const [key, endpoint] of endpoints) {
      const slots = slotsOf(endpoint);
      if (slots !== undefined) free.set(key, slots);
    }
    return free;
  };

  return {
    begin: (key: string): Endpoint => {
      const endpoint = endpoints.get(key) ?? { running: 0, cap: unknownCap, answersWell: false };
      endpoints.delete(key);
      endpoints.set(key, endpoint);
      endpoint.running += 1;
      forgetOldest();
      return endpoint;
    },
    end: (endpoint: Endpoint, succeeded: boolean) => {
      endpoint.running -= 1;
      endpoint.answersWell = succeeded;
      endpoint.cap = succeeded ? Math.min(maxCap, endpoint.cap + 1) : 1;
    },
    freeOf,
    /** Free slots of one that this process knows nothing of. */
    freeOfUnknown: (tight: boolean) => (tight ? 1 : unknownCap),
    /** Free slots of those that may have fewer now than an unknown one. The idle are left out: thousands make a claim slow. */
    freeOfBusy: (tight: boolean) =>
      named((endpoint) => {
        const slots = freeOf(endpoint, tight);
        return endpoint.running > 0 || slots < unknownCap ? slots : undefined;
      }),
    freeOfGood: () => named((endpoint) => (endpoint.answersWell ? freeOf(endpoint, true) : undefined)),
  };
}

function freeOf({ cap, running, answersWell }: Endpoint, tight: boolean): number {
  return Math.max(0, (answersWell || !tight ? cap : 1) - running);
}
