import { findRefundsToOrderAgain } from '@payments/database/refunds/refunds';
import { inTransaction } from '@payments/database/transaction';
import { balanceOf, lockHolder } from '../balance-of.ts';
import type { SettlementContext } from '../context.ts';

/**
 * Orders refused refunds again when their pause is over. Any number of replicas may run it: the second one finds the
 * order made.
 * @returns how many were checked
 */
export async function orderRefusedAgain(context: SettlementContext, limit: number): Promise<number> {
  const due = await findRefundsToOrderAgain(context.db, { now: context.now(), limit });
  for (const refund of due) {
    await inTransaction(context.db, async (trx) =>
      balanceOf(trx, context, await lockHolder(trx, refund)),
    ).catch((error: unknown) =>
      context.log.warn({ err: error, ...refund }, 'a refused refund could not be ordered anew; trying again'),
    );
  }
  return due.length;
}
