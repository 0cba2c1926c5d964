import type { Window } from '../faults/fault.ts';
import type { Breach, Observations } from '../observations.ts';
import type { Evidence, PaymentEvidence } from '../verdict/evidence.ts';
import type { Unsettled } from '../verdict/settle.ts';

/** All observations of a run. */
export type Case = {
  observations: Observations;
  evidence: Evidence;
  windows: readonly Window[];
  /** The work that was unfinished at the end. */
  left: Unsettled;
};

/** Checks a promise against the observations. */
export type Check = (run: Case) => Breach[];

/** @returns a check of each payment by itself, from a function that lists what is wrong with one */
export function ofEachPayment(
  promise: number,
  check: (payment: PaymentEvidence, run: Case) => string[],
): Check {
  return (run) =>
    run.evidence.payments.flatMap((payment) =>
      check(payment, run).map((says) => breachOf(promise, payment.id, says)),
    );
}

export function breachOf(promise: number, paymentId: string | undefined, says: string): Breach {
  return { promise, paymentId, says };
}
