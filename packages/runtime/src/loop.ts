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
  let woken = false;
  let endPause: (() => void) | undefined;
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, intervalMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    while (!stopped) {
      woken = false;
      const more = await turn().catch((error: unknown) => {
        onError(error);
        woken = false;
        return false;
      });
      if (!more && !woken && !stopped) await pause();
    }
  };
  const running = run();
  const wake = () => {
    woken = true;
    endPause?.();
  };
  return {
    wake,
    stop: async () => {
      stopped = true;
      wake();
      await running;
    },
  };
}
