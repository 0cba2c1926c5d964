import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

export type ReceiverCommand =
  | { do: 'listen'; healthy: number; hanging: number }
  | { do: 'reset'; withIds: boolean }
  | { do: 'count' }
  | { do: 'report' }
  | { do: 'close' };

/** What healthy receivers got since the last reset. Times are epoch milliseconds. */
export type ReceiverReport = {
  count: number;
  firstMs: number;
  lastMs: number;
  byPort: Record<string, number>;
  /** When each `webhook-id` came first, where that was asked for. */
  ids: Record<string, number>;
  /** Of the receivers' process, since it began. */
  cpuSeconds: number;
};

export type Receivers = {
  /** Opens receivers. @returns the URLs of those that answer 200, and of those that never answer */
  listen(healthy: number, hanging?: number): Promise<{ healthy: string[]; hanging: string[] }>;
  reset(withIds?: boolean): Promise<ReceiverReport>;
  report(): Promise<ReceiverReport>;
  /** Resolves when this many have arrived, or when nothing has for `quietMs`. */
  waitFor(count: number, quietMs?: number): Promise<ReceiverReport>;
  closeAll(): Promise<void>;
  stop(): Promise<void>;
};

/** Receivers of webhooks in a process of their own. */
export function startReceivers(): Receivers {
  const child: ChildProcess = fork(new URL('./receiver-process.ts', import.meta.url), { execArgv: [] });
  const ask = async <Answer>(command: ReceiverCommand): Promise<Answer> => {
    child.send(command);
    return (await once(child, 'message'))[0] as Answer;
  };
  return {
    listen: (healthy, hanging = 0) => ask({ do: 'listen', healthy, hanging }),
    reset: (withIds = false) => ask({ do: 'reset', withIds }),
    report: () => ask({ do: 'report' }),
    waitFor: async (count, quietMs = 30_000) => {
      let seen = -1;
      let since = Date.now();
      for (;;) {
        const { count: now } = await ask<ReceiverReport>({ do: 'count' });
        if (now !== seen) since = Date.now();
        seen = now;
        if (now >= count || Date.now() - since > quietMs) return ask({ do: 'report' });
        await delay(20);
      }
    },
    closeAll: async () => void (await ask({ do: 'close' })),
    stop: async () => {
      child.disconnect();
      child.kill();
      await once(child, 'exit');
    },
  };
}
