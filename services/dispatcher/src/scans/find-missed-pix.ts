import { reconcile } from '@payments/settlement/reconcile';
import { reconcileReturned } from '@payments/settlement/reconcile-returned';
import type { Scan } from './scan.ts';

/** Finds Pix whose callback never came. */
export const findMissedPix =
  (onFound: (count: number) => void): Scan =>
  async (context) => {
    const found = await reconcile(context);
    onFound(found);
    if (found > 0) context.log.warn({ found }, 'Pix were found that no callback had told of');
    return false;
  };

/** Finds what the bank took back (MED) without a callback, whatever becomes of the other scans. */
export const findReturnedPix: Scan = async (context) => {
  await reconcileReturned(context);
  return false;
};
