import { refundIdOf } from '@payments/domain/identifiers';
import type { Queryable } from '../connection.ts';
import { type Refund, refundColumns } from './refunds.ts';

/** A refund that the service orders; amount in centavos. */
export type RefundOrder = {
  endToEndId: string;
  /** Null for a Pix that fits no payment. */
  paymentId: string | null;
  amount: number;
  reason: string;
  note?: string | null;
  replaces: string | null;
  reorders: number;
  /** How a person's repeated request is known. */
  key?: { key: string; requestHash: Buffer } | undefined;
  now: Date;
};

/**
 * Records a refund before the PSP is asked for it, under the id that follows from its Pix and its ordinal: a crash asks
 * again under the same id. Call it with the payment, or the unmatched Pix, locked.
 */
export async function insertRefundOrder(trx: Queryable, order: RefundOrder): Promise<Refund> {
  const { endToEndId, now, key } = order;
  const ordinal = (await countOrders(trx, endToEndId)) + 1;
  await settleOpenQuestion(trx, endToEndId, order.replaces);
  return trx
    .insertInto('refunds')
    .values({
      id: refundIdOf(endToEndId, ordinal),
      end_to_end_id: endToEndId,
      payment_id: order.paymentId,
      amount: order.amount,
      wanted: order.amount,
      origin: 'service',
      reason: order.reason,
      note: order.note ?? null,
      state: 'requested',
      rtr_id: null,
      try_at: now,
      claim_id: null,
      last_error: null,
      replaces: order.replaces,
      ordinal,
      reorders: order.reorders,
      order_again_at: null,
      owed: null,
      idempotency_key: key?.key ?? null,
      request_hash: key?.requestHash ?? null,
      created_at: now,
      updated_at: now,
    })
    .returning(refundColumns)
    .executeTakeFirstOrThrow();
}

async function countOrders(trx: Queryable, endToEndId: string): Promise<number> {
  const { last } = await trx
    .selectFrom('refunds')
    .select(({ fn }) => fn.max('ordinal').as('last'))
    .where('end_to_end_id', '=', endToEndId)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

/** The refund that is replaced waits for nothing any more. */
async function settleOpenQuestion(trx: Queryable, endToEndId: string, id: string | null): Promise<void> {
  if (id !== null) await setOpenQuestion(trx, { endToEndId, id }, { orderAgainAt: null, owed: null });
}

/** Stores with a refused refund what is to become of what it did not give back. */
export async function setOpenQuestion(
  trx: Queryable,
  { endToEndId, id }: { endToEndId: string; id: string },
  { orderAgainAt, owed }: { orderAgainAt: Date | null; owed: number | null },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ order_again_at: orderAgainAt, owed })
    .where('end_to_end_id', '=', endToEndId)
    .where('id', '=', id)
    .execute();
}

/** Makes a refund want no more than it gave back: nothing of it is planned any more. */
export async function withdrawOrder(
  trx: Queryable,
  { endToEndId, id }: { endToEndId: string; id: string },
): Promise<void> {
  await trx
    .updateTable('refunds')
    .set({ wanted: 0 })
    .where('end_to_end_id', '=', endToEndId)
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .execute();
}
