/** The bank's clock: the machine's, moved by an offset. Milliseconds. */
export interface Clock {
  now(): number;
  offset(): number;
  setOffset(milliseconds: number): void;
}

export function createClock(machine: () => number): Clock {
  let offset = 0;
  return {
    now: () => machine() + offset,
    offset: () => offset,
    setOffset: (milliseconds) => {
      offset = milliseconds;
    },
  };
}
