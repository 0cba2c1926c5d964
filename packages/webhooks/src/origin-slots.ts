import { SendFailure } from './send-failure.ts';

export interface OriginSlotsOptions {
  perOrigin: number;
  /** How long a request waits for its turn. */
  maxWaitMs: number;
}

/** At most so many requests at a time per origin; the rest wait in order, and leave when their time is up. */
export interface OriginSlots {
  /** Resolves with the function that gives the slot back; rejects with a `SendFailure` after `maxWaitMs`. */
  take(origin: string): Promise<() => void>;
}

interface Origin {
  taken: number;
  waiting: Set<() => void>;
}

/**
 * Waiting happens here and not in undici's queue, which a request can't leave: what has timed out there
 * would still take, and break, a fresh connection of its receiver.
 */
export function createOriginSlots({ perOrigin, maxWaitMs }: OriginSlotsOptions): OriginSlots {
  const origins = new Map<string, Origin>();

  const release = (name: string, origin: Origin): void => {
    const [next] = origin.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    origin.taken -= 1;
    if (origin.taken === 0) origins.delete(name);
  };

  return {
    async take(name) {
      const origin = origins.get(name) ?? { taken: 0, waiting: new Set() };
      origins.set(name, origin);
      if (origin.taken < perOrigin) origin.taken += 1;
      else await turn(origin.waiting, maxWaitMs);
      return () => release(name, origin);
    },
  };
}

function turn(waiting: Set<() => void>, maxWaitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const granted = () => {
      waiting.delete(granted);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(granted);
      reject(new SendFailure('timeout', 'no free connection in time'));
    }, maxWaitMs);
    waiting.add(granted);
  });
}
