import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

/** A Pix that the PSP confirmed for a payment; amount in centavos. */
export type PixReceived = {
  endToEndId: string;
  amount: number;
  /** What it did: `approved`, `review` or `refund`. */
  effect: string;
  paidAt: Date;
  receivedAt: Date;
};

/**
 * @returns false when this Pix was entered before: an endToEndId changes a payment at most once (design 7.4)
 */
export async function insertPixReceived(
  trx: Queryable,
  paymentId: string,
  pix: PixReceived,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('pix_received')
    .values({
      end_to_end_id: pix.endToEndId,
      payment_id: paymentId,
      amount: pix.amount,
      effect: pix.effect,
      paid_at: pix.paidAt,
      received_at: pix.receivedAt,
    })
    .onConflict((oc) => oc.column('end_to_end_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns the Pix received for a payment, first to last */
export async function listPixReceived(db: Queryable, paymentId: string): Promise<PixReceived[]> {
  return db
    .selectFrom('pix_received')
    .select([
      'end_to_end_id as endToEndId',
      'amount',
      'effect',
      'paid_at as paidAt',
      'received_at as receivedAt',
    ])
    .where('payment_id', '=', paymentId)
    .orderBy('received_at')
    .orderBy('paid_at')
    .execute();
}

/** @returns those of these endToEndIds that no payment has received */
export async function findUnknownPix(db: Queryable, endToEndIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...endToEndIds]}::text[]) id
    where not exists (select from pix_received p where p.end_to_end_id = id offset 0)`.execute(db);
  return rows.map((row) => row.id);
}
