export interface SlotsOptions {
  perKey: number;
  /** How long to wait for a turn. */
  maxWaitMs: number;
}

/** At most so many holders at a time per key; the others wait in order, and leave when their time is up. */
export interface Slots {
  /** Resolves with the function that gives the slot back, or with `null` after `maxWaitMs`. */
  take(key: string): Promise<(() => void) | null>;
}

interface Queue {
  taken: number;
  waiting: Set<() => void>;
}

/** Keeps nothing about a key that nobody holds or waits for. */
export function createSlots({ perKey, maxWaitMs }: SlotsOptions): Slots {
  const queues = new Map<string, Queue>();

  const release = (key: string, queue: Queue): void => {
    const [next] = queue.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    queue.taken -= 1;
    if (queue.taken === 0) queues.delete(key);
  };

  return {
    async take(key) {
      const queue = queues.get(key) ?? { taken: 0, waiting: new Set() };
      queues.set(key, queue);
      if (queue.taken < perKey) queue.taken += 1;
      else if (!(await turn(queue.waiting, maxWaitMs))) return null;
      return () => release(key, queue);
    },
  };
}

function turn(waiting: Set<() => void>, maxWaitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const granted = () => {
      waiting.delete(granted);
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      waiting.delete(granted);
      resolve(false);
    }, maxWaitMs);
    waiting.add(granted);
  });
}
