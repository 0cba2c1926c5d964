import { reconcile, reconcileReturned } from '@payments/settlement/days/reconcile';
import type { BankScan } from './scan.ts';

/** Finds Pix whose callback got lost. */
export const findMissedPix =
  (onFound: (bank: string, count: number) => void): BankScan =>
  async (context) => {
    const found = await reconcile(context);
    onFound(context.bank, found);
    if (found > 0)
      context.log.warn({ found, bank: context.bank }, 'Pix were found that no callback had told of');
    return false;
  };

/** Finds Pix that the bank took back (MED) without a callback. It runs apart from the other scans. */
export const findReturnedPix: BankScan = async (context) => {
  await reconcileReturned(context);
  return false;
};
