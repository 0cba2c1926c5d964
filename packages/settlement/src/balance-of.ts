import { findPix } from '@payments/database/charges/pix-received';
import {
  lockUnmatchedPix,
  setUnmatchedReturned,
  type UnmatchedPix,
} from '@payments/database/charges/unmatched-pix';
import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import { type MoneyFacts, statusAfterReturns } from '@payments/domain/refunds';
import { balance, carryPlan } from './balance.ts';
import type { SettlementContext } from './context.ts';

/** The owner of a refund's money, locked: a payment, or an unmatched Pix. */
export type Holder = { payment: StoredPayment } | { pix: UnmatchedPix };

/** Locks the owner of a refund's money. A Pix may have been matched to a payment since the refund was read. */
export async function lockHolder(
  trx: Queryable,
  { paymentId, endToEndId }: { paymentId: string | null; endToEndId: string },
): Promise<Holder> {
  if (paymentId === null) {
    const pix = await lockUnmatchedPix(trx, endToEndId);
    if (pix) return { pix };
  }
  const id = paymentId ?? (await findPix(trx, [endToEndId]))[0]?.paymentId;
  const payment = id ? await lockPayment(trx, id) : undefined;
  if (!payment) throw new Error(`the Pix ${endToEndId} is nobody's`);
  return { payment };
}

/**
 * Balances a payment, or plans the refunds of an unmatched Pix.
 * @returns how many refunds were ordered
 */
export async function balanceOf(trx: Queryable, context: SettlementContext, holder: Holder): Promise<number> {
  if ('payment' in holder) return (await balance(trx, context, holder.payment)).ordered;
  const { endToEndId } = holder.pix;
  const money = { ...asApproved(holder.pix), refunds: await listRefundsOfPix(trx, [endToEndId]) };
  if (statusAfterReturns(money)) await setUnmatchedReturned(trx, endToEndId);
  return carryPlan(trx, context, null, money);
}

/** @returns an unmatched Pix as if a payment were approved by it: what a person orders goes back */
export function asApproved(pix: UnmatchedPix): Pick<MoneyFacts, 'payment' | 'pix'> {
  return {
    payment: { status: 'approved', charged: pix.amount, isTimedOut: false },
    pix: [{ ...pix, counts: true }],
  };
}
