import { createPace } from '@payments/runtime/pace';
import { carryOutRefunds } from '@payments/settlement/refund';
import { atThePsp, refundsPerSecond, type Scan } from './scan.ts';

/** Asks the PSP for refunds that were ordered, and after those that it has not finished. */
export function makeRefunds(): Scan {
  const begin = createPace(refundsPerSecond);
  return async (context) => {
    const limit = atThePsp.claimed;
    return (await carryOutRefunds(context, { limit, begin })) === limit;
  };
}
