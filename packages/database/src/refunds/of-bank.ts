import type { RefundState } from '@payments/domain/refunds';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { bankOf, type Refund } from './refunds.ts';

/**
 * @param listed refunds as the PSP lists them, by their Pix
 * @returns the endToEndIds of Pix with a refund that we don't know, or know in another state
 */
export async function findPixWithOtherRefunds(
  db: Queryable,
  listed: readonly { endToEndId: string; id: string; state: RefundState }[],
): Promise<string[]> {
  const { rows } = await sql<{ endToEndId: string }>`
    select distinct "endToEndId"
    from json_to_recordset(${JSON.stringify(listed)}) as listed ("endToEndId" text, id text, state text)
    where not exists (
      select from refunds known
      where known.end_to_end_id = "endToEndId" and known.id = listed.id
        and (known.state = listed.state or known.state = 'refunded'
          or (known.state = 'failed' and listed.state <> 'refunded'))
    )`.execute(db);
  return rows.map(({ endToEndId }) => endToEndId);
}

/** `ordinal` identifies one of our orders that a restored database lacks; null for the bank's own. */
export type RefundAtBank = Pick<
  Refund,
  'id' | 'endToEndId' | 'paymentId' | 'amount' | 'ordinal' | 'reason' | 'state' | 'rtrId'
> & { madeAt: Date | null; tryAt: Date | null; now: Date };

/** Inserts a refund that only the bank knew: its own (MED, API Pix 2.9 `natureza`), or one of ours. */
export async function insertRefundAtBank(trx: Queryable, refund: RefundAtBank): Promise<void> {
  const { id, endToEndId, paymentId, amount, ordinal, reason, state, rtrId, madeAt, tryAt, now } = refund;
  const origin = ordinal === null ? ('bank' as const) : ('service' as const);
  const about = { id, endToEndId, bank: bankOf(endToEndId), paymentId, ordinal, origin, reason };
  const progress = { amount, wanted: amount, state, rtrId, madeAt, tryAt, createdAt: now, updatedAt: now };
  await trx
    .insertInto('refunds')
    .values({ ...about, ...progress })
    .onConflict((oc) => oc.columns(['endToEndId', 'id']).doNothing())
    .execute();
}
