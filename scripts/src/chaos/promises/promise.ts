import type { Account, Breach } from '../account.ts';
import type { Evidence } from '../end/evidence.ts';
import type { Unsettled } from '../end/settle.ts';
import type { Window } from '../faults/fault.ts';

/** All that was seen of a run, from outside. */
export type Case = {
  account: Account;
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
