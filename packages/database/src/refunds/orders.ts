import type { RefundRule } from '@payments/domain/bank-error';
import { refundIdOf } from '@payments/domain/identifiers';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { bankOf, nothingOpen, type OpenQuestion, type Refund, refundColumns } from './refunds.ts';

/** A refund that the service orders; amount in centavos. */
export type RefundOrder = Pick<
  Refund,
  'endToEndId' | 'paymentId' | 'amount' | 'reason' | 'replaces' | 'reorders'
> & {
  /** The amount that is to go back, if more than `amount`. */
  wanted?: number;
  /** True if a person named the amount. */
  exact?: boolean;
  note?: string | null;
  /** Given if the order is not sent to the bank but owed at once, for this reason. */
  refused?: RefundRule | undefined;
  /** Identifies a person's repeated request. */
  key?: { key: string; requestHash: Buffer } | undefined;
  /** The store's token that orders it; null for a person. Without it, the token of the refund that it replaces. */
  tokenId?: string | null;
  now: Date;
};

/**
 * Records a refund before the PSP is asked for it, under the id of its Pix and ordinal. After a crash the service asks
 * again under the same id. Lock the payment, or the unmatched Pix, first.
 */
export async function insertRefundOrder(trx: Queryable, order: RefundOrder): Promise<Refund> {
  const {
    endToEndId,
    paymentId,
    amount,
    exact = false,
    reason,
    note,
    replaces,
    reorders,
    refused,
    key,
    tokenId = tokenOf(order),
    now,
  } = order;
  const ordinal = (await countOrders(trx, endToEndId)) + 1;
  // The replaced refund waits for nothing any more.
  if (replaces !== null) await setOpenQuestion(trx, { endToEndId, id: replaces }, nothingOpen);
  return trx
    .insertInto('refunds')
    .values({
      id: refundIdOf(endToEndId, ordinal),
      endToEndId,
      bank: bankOf(endToEndId),
      paymentId,
      ordinal,
      amount,
      wanted: order.wanted ?? amount,
      exact,
      reason,
      note,
      replaces,
      reorders,
      origin: 'service',
      ...(refused === undefined
        ? { state: 'requested', tryAt: now }
        : { state: 'failed', owed: amount, lastError: { code: refused } }),
      idempotencyKey: key?.key,
      requestHash: key?.requestHash,
      tokenId,
      createdAt: now,
      updatedAt: now,
    })
    .returning(refundColumns)
    .executeTakeFirstOrThrow();
}

/** A refund that is ordered anew is still what the token ordered: its amount counts in the day's limit. */
function tokenOf({ endToEndId, replaces }: RefundOrder) {
  return replaces === null
    ? null
    : sql<
        string | null
      >`(select token_id from refunds where end_to_end_id = ${endToEndId} and id = ${replaces})`;
}

/** @returns what a store's tokens ordered in this time and has not failed, in centavos */
export async function sumOrderedByTokens(
  trx: Queryable,
  storeId: string,
  { since, until }: { since: Date; until: Date },
): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(r.amount), 0)::bigint as sum from tokens t join refunds r on r.token_id = t.id
    where t.store_id = ${storeId} and r.created_at >= ${since} and r.created_at < ${until} and r.state <> 'failed'`.execute(
    trx,
  );
  return rows[0]!.sum;
}

async function countOrders(trx: Queryable, endToEndId: string): Promise<number> {
  const { last } = await trx
    .selectFrom('refunds')
    .select(({ fn }) => fn.max('ordinal').as('last'))
    .where('endToEndId', '=', endToEndId)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** Stores on a refused refund how the missing amount goes on: ordered again, or owed. */
export async function setOpenQuestion(
  trx: Queryable,
  { endToEndId, id }: { endToEndId: string; id: string },
  { reason, ...question }: OpenQuestion & { reason?: RefundRule | undefined },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ ...question, ...(reason !== undefined && { lastError: { code: reason } }) })
    .where(({ and }) => and({ endToEndId, id }))
    .execute();
}

/** Sets a refund's wanted amount to what it gave back, so that nothing more is planned for it. */
export async function withdrawOrder(
  trx: Queryable,
  { endToEndId, id }: { endToEndId: string; id: string },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ wanted: 0 })
    .where(({ and }) => and({ endToEndId, id, state: 'failed' }))
    .execute();
}
