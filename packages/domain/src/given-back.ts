import type { Payment } from './payment.ts';
import { isConfirmed } from './status.ts';

/** A return that was made of the Pix that counts for a payment; amounts in centavos. */
export type MadeReturn = {
  amount: number;
  /** The part of the approved payment that it gave back; null if that is not decided yet. */
  givenBack: number | null;
};

/**
 * Decides how much returns reduced an approved payment. Money that went back before the approval was never received.
 * A bank's return (MED) beside one of ours reduces it by no more than is left.
 * @param received what was kept at the approval
 * @param left what is left now
 * @returns the undecided returns with their parts, in centavos
 */
export function decideGivenBack<Return extends MadeReturn>(
  { received, left }: { received: number; left: number },
  made: readonly Return[],
): (Return & { givenBack: number })[] {
  let rest = made.reduce((sum, { givenBack }) => sum - (givenBack ?? 0), received - left);
  return made
    .filter(({ givenBack }) => givenBack === null)
    .map((one) => {
      const givenBack = Math.min(one.amount, Math.max(0, rest));
      rest -= givenBack;
      return { ...one, givenBack };
    });
}

/** @returns what is left of a payment that was approved: nothing if all of it went back */
export function leftOfApproved({ status, amount }: Pick<Payment, 'status' | 'amount'>): number {
  return isConfirmed(status) ? amount : 0;
}
