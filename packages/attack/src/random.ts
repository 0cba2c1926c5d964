/** Repeatable random numbers: the same seed gives the same sequence. */
export type Random = {
  /** 0 ≤ x < 1. */
  next(): number;
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
  shuffle<T>(list: readonly T[]): T[];
  /** @returns another sequence, so that one part's use does not change another's */
  fork(name: string): Random;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, and uniform enough for load and faults.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const index = (length: number) => Math.floor(next() * length);
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    pick: (list) => list[index(list.length)]!,
    chance: (probability) => next() < probability,
    shuffle: (list) => {
      const mixed = [...list];
      for (let last = mixed.length - 1; last > 0; last -= 1) {
        const other = index(last + 1);
        [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
      }
      return mixed;
    },
    fork: (name) =>
      seededRandom([...name].reduce((hash, c) => Math.imul(hash ^ c.charCodeAt(0), 16_777_619), seed)),
  };
}
