import { createPace } from '@payments/runtime/pace';
import { orderRefusedAgain } from '@payments/settlement/order-again';
import { carryOutRefunds } from '@payments/settlement/refund';
import { atThePsp, type BankScan, inBatches, refundsPerSecond, type Scan } from './scan.ts';

/** Orders refused refunds again, whose pause is over. */
export const orderRefundsAgain = (onOrdered: () => void): Scan =>
  inBatches(atThePsp.claimed, async (context, limit) => {
    const ordered = await orderRefusedAgain(context, limit);
    if (ordered > 0) onOrdered();
    return ordered;
  });

/** Asks a bank for ordered refunds, and for the state of unfinished ones. */
export function makeRefunds(): BankScan {
  const begin = createPace(refundsPerSecond);
  return inBatches(atThePsp.claimed, (context, limit) => carryOutRefunds(context, { limit, begin }));
}
