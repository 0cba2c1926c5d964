import { createPace } from '@payments/runtime/pace';
import { carryOutRefunds } from '@payments/settlement/refunds/carry-out';
import { orderRefusedAgain } from '@payments/settlement/refunds/refused-refund';
import { type BankScan, inBatches, refundsPerSecond } from './scan.ts';

const batch = 20;

/** Orders refused refunds again, whose pause is over. */
export const orderRefundsAgain = inBatches(batch, orderRefusedAgain);

/** Asks a bank for ordered refunds, and for the state of unfinished ones. */
export function makeRefunds(): BankScan {
  const begin = createPace(refundsPerSecond);
  return inBatches(batch, (context, limit) => carryOutRefunds(context, { limit, begin }));
}
