export type LoopOptions = {
  /** The pause before the first turn, in milliseconds; none by default. */
  firstInMs?: number;
  /** The pause when there is nothing to do, in milliseconds. */
  intervalMs: number;
  /** Runs one turn. True: there may be more work, continue at once. */
  turn: () => Promise<boolean>;
  onError: (error: unknown) => void;
};

export type Loop = {
  /** Starts the next turn now, or right after the current one. */
  wake(): void;
  /** Waits for the current turn, and starts no other. */
  stop(): Promise<void>;
};

/** Repeats a turn, one at a time: at once while there is work, else after a pause or a wake-up. */
export function startLoop({ firstInMs = 0, intervalMs, turn, onError }: LoopOptions): Loop {
  let stopped = false;
  let woken = Promise.withResolvers<void>();
  const pause = async (ms: number) => {
    const timer = setTimeout(woken.resolve, ms);
    await woken.promise;
    clearTimeout(timer);
  };
  const run = async () => {
    if (firstInMs > 0) await pause(firstInMs);
    while (!stopped) {
      woken = Promise.withResolvers();
      const more = await turn().catch((error: unknown) => {
        onError(error);
        // A wake-up before a failure does not shorten its pause.
        if (!stopped) woken = Promise.withResolvers();
        return false;
      });
      if (!more) await pause(intervalMs);
    }
  };
  const running = run();
  return {
    wake: () => woken.resolve(),
    stop: async () => {
      stopped = true;
      woken.resolve();
      await running;
    },
  };
}
