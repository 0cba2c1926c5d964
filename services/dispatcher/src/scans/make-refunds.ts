import { createPace } from '@payments/runtime/pace';
import { orderRefusedAgain } from '@payments/settlement/order-again';
import { carryOutRefunds } from '@payments/settlement/refund';
import { atThePsp, refundsPerSecond, type Scan } from './scan.ts';

/** Orders refused refunds again, asks the PSP for ordered ones, and updates unfinished ones. */
export function makeRefunds(): Scan {
  const begin = createPace(refundsPerSecond);
  return async (context) => {
    const limit = atThePsp.claimed;
    await orderRefusedAgain(context, limit);
    return (await carryOutRefunds(context, { limit, begin })) === limit;
  };
}
