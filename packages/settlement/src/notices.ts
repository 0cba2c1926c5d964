import type { Queryable } from '@payments/database/connection';
import { writeNotice } from '@payments/database/notices/notices';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import type { CheckedDay } from '@payments/database/reconciliation/checked-days';
import type { Notice, NoticeFacts } from '@payments/notices/kinds';
import type { SettlementContext } from './context.ts';

/**
 * The facts of money that people are told of. Each is written in the transaction of its cause, under a key that follows
 * from what it is: so a callback and a scan that see the same, on any replicas, tell it once.
 */

type Clock = Pick<SettlementContext, 'now'>;

/** A payment has just gone into review. */
export async function tellReview(
  trx: Queryable,
  { now }: Clock,
  { id: paymentId, storeId, events }: StoredPayment,
  said: Omit<NoticeFacts['review_waiting'], 'paymentId'>,
): Promise<void> {
  const facts = { paymentId, ...said };
  // A payment that left its review may come back: each time is a fact of its own.
  const key = `${paymentId} ${events}`;
  await writeNotice(trx, { kind: 'review_waiting', key, storeId, occurredAt: now(), facts });
}

/** A refund has failed for good, and its amount is owed. */
export async function tellOwed(
  trx: Queryable,
  { now }: Clock,
  facts: NoticeFacts['refund_owed'],
): Promise<void> {
  await writeNotice(trx, { kind: 'refund_owed', ...(await about(trx, facts)), occurredAt: now(), facts });
}

/** A return has begun at the bank: by the bank itself (MED), or by somebody in its app. The bank may not tell which. */
export async function tellReturned(
  trx: Queryable,
  { now }: Clock,
  facts: NoticeFacts['returned_by_bank'],
): Promise<void> {
  await writeNotice(trx, {
    kind: 'returned_by_bank',
    ...(await about(trx, facts)),
    occurredAt: now(),
    facts,
  });
}

async function about(
  trx: Queryable,
  { endToEndId, refundId, paymentId }: NoticeFacts['refund_owed' | 'returned_by_bank'],
): Promise<Pick<Notice, 'key' | 'storeId'>> {
  const payment = paymentId === null ? undefined : await findPayment(trx, paymentId);
  return { key: `${endToEndId} ${refundId}`, storeId: payment?.storeId ?? null };
}

/** A Pix that fits no payment is on record for the first time. */
export async function tellUnmatched(
  trx: Queryable,
  { now }: Clock,
  facts: NoticeFacts['unmatched_pix'],
): Promise<void> {
  const { endToEndId: key } = facts;
  await writeNotice(trx, { kind: 'unmatched_pix', key, storeId: null, occurredAt: now(), facts });
}

/** A check saw a whole day, and the bank and our books differ. */
export async function tellDifferences(
  trx: Queryable,
  { bank, day: date, checkedAt: occurredAt, differences }: CheckedDay,
): Promise<void> {
  const facts = { bank, date, differences: differences.length };
  const key = `${bank} ${date}`;
  await writeNotice(trx, { kind: 'reconciliation_differs', key, storeId: null, occurredAt, facts });
}
