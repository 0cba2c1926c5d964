import { createPace } from '@payments/runtime/pace';
import { orderRefusedAgain } from '@payments/settlement/order-again';
import { carryOutRefunds } from '@payments/settlement/refund';
import { atThePsp, type BankScan, refundsPerSecond, type Scan } from './scan.ts';

/** Orders refused refunds again, whose pause is over. */
export const orderRefundsAgain =
  (onOrdered: () => void): Scan =>
  async (context) => {
    const limit = atThePsp.claimed;
    const ordered = await orderRefusedAgain(context, limit);
    if (ordered > 0) onOrdered();
    return ordered === limit;
  };

/** Asks a bank for ordered refunds, and for the state of unfinished ones. */
export function makeRefunds(): BankScan {
  const begin = createPace(refundsPerSecond);
  return async (context) => {
    const limit = atThePsp.claimed;
    return (await carryOutRefunds(context, { limit, begin })) === limit;
  };
}
