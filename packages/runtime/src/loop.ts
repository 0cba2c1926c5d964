export type LoopOptions = {
  /** Pause when there is nothing to do, in milliseconds. */
  intervalMs: number;
  /** One turn. True: there may be more, go on at once. */
  turn: () => Promise<boolean>;
  onError: (error: unknown) => void;
};

export type Loop = {
  /** Starts the next turn now, or straight after the present one. */
  wake(): void;
  /** Lets the present turn finish; no other follows. */
  stop(): Promise<void>;
};

/** Runs a turn again and again, one at a time: at once while there is work, else after a pause or when woken. */
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
