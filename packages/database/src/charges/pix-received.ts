import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Selected } from '../schema.ts';

const columns = ['endToEndId', 'bank', 'amount', 'effect', 'paidAt', 'receivedAt'] as const;

/**
 * A Pix that the PSP confirmed for a payment; amount in centavos. It `counts` if the payment was approved or put in
 * review by it. Every other Pix goes back.
 */
export type PixReceived = Selected<'pixReceived', typeof columns> & { counts: boolean };

export type NewPix = Omit<PixReceived, 'counts'> & { txid: string };

/**
 * Inserts a Pix for a payment. An unmatched Pix becomes the payment's, together with its refunds.
 * @returns false if a payment already had this Pix: an endToEndId changes a payment at most once
 */
export async function insertPixReceived(trx: Queryable, paymentId: string, pix: NewPix): Promise<boolean> {
  const { endToEndId, bank, effect, txid } = pix;
  const placed = { paymentId, effect, unmatched: null, txid };
  const row = await trx
    .insertInto('pixReceived')
    .values({ ...pix, ...placed })
    .onConflict((oc) =>
      oc
        .column('endToEndId')
        .doUpdateSet(placed)
        .where('pixReceived.paymentId', 'is', null)
        .where('pixReceived.bank', '=', bank),
    )
    .returning(sql<boolean>`xmax <> 0`.as('wasKept'))
    .executeTakeFirst();
  if (row?.wasKept)
    await trx.updateTable('refunds').set({ paymentId }).where('endToEndId', '=', endToEndId).execute();
  return row !== undefined;
}

/** @returns the Pix received for a payment, oldest first */
export async function listPixReceived(db: Queryable, paymentId: string): Promise<PixReceived[]> {
  return db
    .selectFrom('pixReceived')
    .select(columns)
    .select(sql<boolean>`effect in ('approved', 'review')`.as('counts'))
    .where('paymentId', '=', paymentId)
    .orderBy('receivedAt')
    .orderBy('paidAt')
    .execute();
}

/** @returns those of these Pix that no payment has received and that did not go back as unmatched */
export async function findUnknownPix(
  db: Queryable,
  listed: readonly { endToEndId: string; paymentId: string | null }[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select "endToEndId" as id
    from json_to_recordset(${JSON.stringify(listed)}) as listed ("endToEndId" text, "paymentId" uuid)
    where not exists (
      select from pix_received
      where end_to_end_id = "endToEndId" and (payment_id = "paymentId" or unmatched = 'returned')
    )`.execute(db);
  return rows.map(({ id }) => id);
}
