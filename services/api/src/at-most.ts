export type Bounds = {
  /** How many run at a time. */
  running: number;
  /** How many may wait beside those. */
  waiting: number;
};

/**
 * Keeps work that comes in a flood from taking all of what it shares with other work.
 * @returns runs what it is given, in the order it was given; undefined at once when too much waits already
 */
export function atMost(bounds: Bounds): <T>(work: () => Promise<T>) => Promise<T> | undefined {
  let running = 0;
  const waiting: (() => void)[] = [];
  const ended = () => {
    const next = waiting.shift();
    // A place is handed on, so that nobody takes it in between.
    if (next) next();
    else running -= 1;
  };
  const place = async () => {
    if (running < bounds.running) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return (work) => {
    if (running >= bounds.running && waiting.length >= bounds.waiting) return undefined;
    return place().then(() => work().finally(ended));
  };
}
