import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchError } from '../options.ts';

export type Command =
  | { do: 'listen'; healthy: number; hanging: number }
  | { do: 'reset' }
  | { do: 'count' }
  | { do: 'report' };

/** The webhooks of healthy receivers since the last reset. Times are epoch milliseconds. */
export type Arrivals = {
  count: number;
  firstMs: number;
  lastMs: number;
  /** When each `webhook-id` first came. */
  ids: Record<string, number>;
};

export type Receivers = AsyncDisposable & {
  /**
   * Opens receivers, each on its own port.
   * @returns the URLs of those that respond 200, and of those that never respond
   */
  listen(healthy: number, hanging?: number): Promise<{ healthy: string[]; hanging: string[] }>;
  reset(): Promise<void>;
  /** @throws BenchError if fewer arrive, after half a minute without any */
  waitFor(count: number): Promise<Arrivals>;
};

const quietMs = 30_000;

/** Starts webhook receivers in their own process. */
export function startReceivers(): Receivers {
  const child: ChildProcess = fork(new URL('./receivers-process.ts', import.meta.url), { execArgv: [] });
  const ask = async <Response>(command: Command): Promise<Response> => {
    child.send(command);
    return (await once(child, 'message'))[0] as Response;
  };
  return {
    listen: (healthy, hanging = 0) => ask({ do: 'listen', healthy, hanging }),
    reset: () => ask({ do: 'reset' }),
    waitFor: async (count) => {
      for (let [seen, since] = [-1, Date.now()]; ; await delay(20)) {
        const arrived = await ask<number>({ do: 'count' });
        if (arrived >= count) return ask({ do: 'report' });
        if (arrived !== seen) since = Date.now();
        if (Date.now() - since > quietMs)
          throw new BenchError(`only ${arrived} of ${count} webhooks arrived`);
        seen = arrived;
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
