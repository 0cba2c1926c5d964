export type LoopOptions = {
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
export function startLoop({ intervalMs, turn, onError }: LoopOptions): Loop {
  let stopped = false;
  let woken = Promise.withResolvers<void>();
  const run = async () => {
    while (!stopped) {
      woken = Promise.withResolvers();
      const more = await turn().catch((error: unknown) => {
        onError(error);
        // A wake-up before a failure does not shorten its pause.
        if (!stopped) woken = Promise.withResolvers();
        return false;
      });
      if (more) continue;
      const timer = setTimeout(woken.resolve, intervalMs);
      await woken.promise;
      clearTimeout(timer);
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
