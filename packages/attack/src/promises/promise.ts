import type { Window } from '../faults/fault.ts';
import type { Breach, Observations } from '../observations.ts';
import type { Evidence } from '../verdict/evidence.ts';
import type { Unsettled } from '../verdict/settle.ts';

/** All that was seen of a run, from outside. */
export type Case = {
  observations: Observations;
  evidence: Evidence;
  windows: readonly Window[];
  /** What had not caught up when patience ended. */
  left: Unsettled;
};

/** Holds one promise against what was seen. */
export type Check = (run: Case) => Breach[];

/** What a check of single payments found: why, for each that breaks its promise. */
export function breachOf(promise: number, paymentId: string | undefined, says: string): Breach {
  return { promise, paymentId, says };
}
