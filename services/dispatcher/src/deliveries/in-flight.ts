import type { ClaimedDelivery } from '@payments/database/claimed-delivery';

type Running = { delivery: ClaimedDelivery; attempt: Promise<boolean | undefined>; since: number };
type Endpoint = { running: number; cap: number };

// A receiver that this process knows nothing of yet.
const startCap = 4;
const endpointsKept = 10_000;

/**
 * Keeps count of the attempts that this process has under way, and of how many each endpoint may have: few at first,
 * one more with every success, one alone after a failure. So receivers that hang hold a slot each, not all of them.
 * @param maxCap the most that an endpoint may have
 */
export function inFlightDeliveries(maxCap: number) {
  const running = new Set<Running>();
  const endpoints = new Map<string, Endpoint>();

  const forgetIdle = () => {
    for (const [key, { running: attempts }] of endpoints) if (attempts === 0) endpoints.delete(key);
  };
  const begin = (key: string): Endpoint => {
    if (endpoints.size > endpointsKept) forgetIdle();
    const endpoint = endpoints.get(key) ?? { running: 0, cap: Math.min(startCap, maxCap) };
    endpoints.set(key, endpoint);
    endpoint.running += 1;
    return endpoint;
  };
  const end = (endpoint: Endpoint, succeeded: boolean) => {
    endpoint.running -= 1;
    endpoint.cap = succeeded ? Math.min(maxCap, endpoint.cap + 1) : 1;
  };

  return {
    size: () => running.size,
    /** What a claim needs to know: free slots of the endpoints seen here, and of those that are new. */
    slots: () => ({
      free: new Map(
        [...endpoints].map(([key, { cap, running: attempts }]) => [key, Math.max(0, cap - attempts)]),
      ),
      perEndpoint: Math.min(startCap, maxCap),
    }),
    longerThan: (ms: number) =>
      [...running].filter(({ since }) => Date.now() - since > ms).map((run) => run.delivery),
    settled: async () => {
      await Promise.all([...running].map(({ attempt }) => attempt));
    },
    add: (delivery: ClaimedDelivery, attempt: Promise<boolean | undefined>, ended: () => void) => {
      const endpoint = begin(delivery.endpoint);
      const run = { delivery, attempt, since: Date.now() };
      running.add(run);
      void attempt.then((succeeded) => {
        running.delete(run);
        end(endpoint, succeeded === true);
        ended();
      });
    },
  };
}
