/** A mistake that such a service could well have, made in a copy of the sources: the checker must see it. */
export type Defect = {
  name: string;
  edits: Edit[];
  /** What brings it out. */
  faults: string[];
  seconds: number;
  /** Between the beginnings of two faults, from and to. */
  pauseSeconds?: readonly [number, number];
  rate: number;
  /** The promise that it breaks, and what the checker must say of it: caught for another reason is not caught. */
  breaks: { promise: number; says: RegExp }[];
};

/** `find` is there exactly once. */
export type Edit = { file: string; find: string; replace: string };
