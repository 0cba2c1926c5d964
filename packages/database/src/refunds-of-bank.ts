import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import type { RefundState } from './schema.ts';

/**
 * @param listed refunds as the PSP lists them, by their Pix
 * @returns the endToEndIds of those of which we know some refund not at all, or in another state that is not final
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
      and (r.state = listed.state or r.state in ('refunded', 'failed')) offset 0)`.execute(db);
  return rows.map((row) => row.end_to_end_id);
}

export type BankRefund = {
  id: string;
  endToEndId: string;
  paymentId: string;
  amount: number;
  reason: string;
  state: RefundState;
  rtrId: string | null;
  now: Date;
};

/** Enters a refund that the bank started itself, a MED (API Pix 2.9 `natureza`). @returns false when it was known */
export async function insertBankRefund(trx: Queryable, refund: BankRefund): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('refunds')
    .values({
      id: refund.id,
      end_to_end_id: refund.endToEndId,
      payment_id: refund.paymentId,
      amount: refund.amount,
      origin: 'bank',
      reason: refund.reason,
      state: refund.state,
      rtr_id: refund.rtrId,
      try_at: null,
      claim_id: null,
      last_error: null,
      replaces: null,
      created_at: refund.now,
      updated_at: refund.now,
    })
    .onConflict((oc) => oc.columns(['end_to_end_id', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}
