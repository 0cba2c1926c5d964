import type { RefundState } from '@payments/domain/refunds';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * @param listed refunds as the PSP lists them, by their Pix
 * @returns the endToEndIds of those of which we know some refund not at all, or otherwise
 */
export async function findPixWithOtherRefunds(
  db: Queryable,
  listed: readonly { endToEndId: string; id: string; state: RefundState }[],
): Promise<string[]> {
  if (listed.length === 0) return [];
  const { rows } = await sql<{ end_to_end_id: string }>`
    select distinct end_to_end_id from unnest(${listed.map(({ endToEndId }) => endToEndId)}::text[],
      ${listed.map(({ id }) => id)}::text[], ${listed.map(({ state }) => state)}::text[])
      as listed (end_to_end_id, id, state)
    where not exists (select from refunds r where r.end_to_end_id = listed.end_to_end_id and r.id = listed.id
      and (r.state = listed.state or r.state = 'refunded' or (r.state = 'failed' and listed.state <> 'refunded'))
      offset 0)`.execute(db);
  return rows.map((row) => row.end_to_end_id);
}

export type RefundAtBank = {
  id: string;
  endToEndId: string;
  paymentId: string | null;
  amount: number;
  /** Which of our orders it is, where its id says so: one that a restored database does not know. Null for the bank's. */
  ordinal: number | null;
  reason: string;
  state: RefundState;
  rtrId: string | null;
  tryAt: Date | null;
  now: Date;
};

/** Enters a refund that only the bank knew: one that it started itself, a MED (API Pix 2.9 `natureza`), or one of ours. */
export async function insertRefundAtBank(trx: Queryable, refund: RefundAtBank): Promise<void> {
  await trx
    .insertInto('refunds')
    .values({
      id: refund.id,
      end_to_end_id: refund.endToEndId,
      payment_id: refund.paymentId,
      amount: refund.amount,
      wanted: refund.amount,
      origin: refund.ordinal === null ? 'bank' : 'service',
      reason: refund.reason,
      note: null,
      state: refund.state,
      rtr_id: refund.rtrId,
      try_at: refund.tryAt,
      claim_id: null,
      last_error: null,
      replaces: null,
      ordinal: refund.ordinal,
      order_again_at: null,
      owed: null,
      idempotency_key: null,
      request_hash: null,
      created_at: refund.now,
      updated_at: refund.now,
    })
    .onConflict((oc) => oc.columns(['end_to_end_id', 'id']).doNothing())
    .execute();
}
