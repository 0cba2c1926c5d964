import type { Queryable } from '@payments/database/connection';
import { lockPayment, type StoredPayment } from '@payments/database/payments/payments';
import { type Author, recordChange } from '@payments/database/record/changes';
import { insertRefundOrder, sumOrderedByTokens } from '@payments/database/refunds/orders';
import { findRefundByKey, type Refund } from '@payments/database/refunds/refunds';
import type { Store } from '@payments/database/stores/stores';
import { inTransaction } from '@payments/database/transaction';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { orderableAmount } from '@payments/domain/refund-plan';
import {
  counted,
  isRefundable,
  isRefundWindowOver,
  orderedByPerson,
  refundableAmount,
} from '@payments/domain/refunds';
import { isWithinDay } from '@payments/domain/store-choices';
import { readMoney, tellRefunds } from '../balance.ts';
import type { SettlementContext } from '../context.ts';
import { Refused } from '../refusals.ts';
import { lockStoreOf, type StoreToken } from '../store-token.ts';

/** The refund may not be ordered now; nothing was written. */
export class RefundRefused extends Refused {
  override readonly name = 'RefundRefused';
  readonly kind = 'refundRefused';
}

/** The Idempotency-Key belongs to another refund of this payment; nothing was written. */
export class RefundKeyReused extends Error {
  override readonly name = 'RefundKeyReused';
}

export type RefundByPerson = {
  paymentId: string;
  /** Centavos, which go back as ordered or not at all; undefined for all that is left. */
  amount: number | undefined;
  /** The amount left, in centavos, when the person ordered all of it. An order of another amount is refused. */
  shown?: number | undefined;
  by: Author;
  /** Given if a store's token orders it, within the store's limit of the day. */
  token?: StoreToken | undefined;
  key?: { key: string; requestHash: Buffer } | undefined;
};

/**
 * Records a person's order of a refund, or a store's, whole or in part, of an approved or paid payment.
 * `carryOutRefunds` then asks the PSP for it.
 * @returns the refund, the same for a repeated key; undefined if there is no such payment
 * @throws RefundRefused with the reason; RefundKeyReused; TokenRefused
 */
export async function orderRefund(
  context: SettlementContext,
  order: RefundByPerson,
): Promise<Refund | undefined> {
  const { paymentId, amount, by, token, key } = order;
  const { db, now } = context;
  return inTransaction(db, async (trx) => {
    const payment = await lockPayment(trx, paymentId);
    if (!payment || (token && payment.storeId !== token.storeId)) return undefined;
    const store = token && (await lockStoreOf(trx, token, { deed: 'refund', now }));
    const known = key && (await findRefundByKey(trx, paymentId, key.key));
    if (known && !known.requestHash?.equals(key.requestHash)) throw new RefundKeyReused();
    if (known) return known;
    const { endToEndId, left } = await assertRefundable(trx, context, payment, order);
    const wanted = amount ?? left;
    const at = store ? await withinDay(trx, context, store, wanted) : now();
    const refund = await insertRefundOrder(trx, {
      endToEndId,
      paymentId,
      amount: wanted,
      exact: amount !== undefined,
      reason: orderedByPerson,
      note: by.reason,
      replaces: null,
      reorders: 0,
      key,
      tokenId: token?.id ?? null,
      now: at,
    });
    await recordChange(trx, by, {
      action: 'refund.ordered',
      at,
      storeId: payment.storeId,
      paymentId,
      subject: endToEndId,
      to: { refundId: refund.id, amount: refund.amount },
    });
    await tellRefunds(trx, context, payment, [refund]);
    return refund;
  });
}

async function assertRefundable(
  trx: Queryable,
  context: SettlementContext,
  payment: StoredPayment,
  { amount, shown }: RefundByPerson,
): Promise<{ endToEndId: string; left: number }> {
  if (!isRefundable(payment.status))
    throw new RefundRefused({ code: 'notRefundable', status: payment.status });
  const money = await readMoney(trx, payment);
  const [pix] = counted(money.pix);
  if (pix && isRefundWindowOver(pix, context.now())) throw new RefundRefused({ code: 'windowOver' });
  const options = { retrySeconds: context.refundRetrySeconds, now: context.now() };
  const left = orderableAmount(money, options);
  if (!pix || refundableAmount(money) === 0) throw new RefundRefused({ code: 'nothingToRefund' });
  if (left === 0) throw new RefundRefused({ code: 'refusedByBank' });
  if (amount !== undefined && amount > left) throw new RefundRefused({ code: 'moreThanIsLeft' });
  if (amount === undefined && shown !== undefined && shown !== left)
    throw new RefundRefused({ code: 'leftChanged' });
  return { endToEndId: pix.endToEndId, left };
}

/**
 * Holds the store's limit of the day, São Paulo's. Of two orders at once, on any replica, the second one sees the first
 * (Contract: refunds by a token).
 * @param store locked until the order is committed
 * @returns the time of the order, which is in that day
 * @throws RefundRefused
 */
async function withinDay(
  trx: Queryable,
  { now }: SettlementContext,
  { id: storeId, refundLimitPerDay: limit }: Store,
  amount: number,
): Promise<Date> {
  const at = now();
  if (limit === null) return at;
  const day = dayOf(at);
  const ordered = await sumOrderedByTokens(trx, storeId, {
    since: startOf(day),
    until: startOf(addDays(day, 1)),
  });
  if (!isWithinDay(limit, ordered, amount)) throw new RefundRefused({ code: 'refundLimitReached' });
  return at;
}
