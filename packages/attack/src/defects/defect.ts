import type { Edit } from '@payments/testing/break-sources';

/** A plausible mistake, made in a copy of the sources, which the checker must find. */
export type Defect = {
  name: string;
  edits: Edit[];
  /** The faults that reveal it. */
  faults: string[];
  seconds: number;
  /** Seconds between the starts of two faults, from and to. */
  pauseSeconds?: readonly [number, number];
  /** Targets that no fault hits, since nothing would show there. */
  spared?: readonly string[];
  rate: number;
  /** The broken promise, and the checker's finding. Another finding does not count. */
  breaks: { promise: number; says: RegExp }[];
};
