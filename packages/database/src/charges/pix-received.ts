import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import type { Selected } from '../schema.ts';

const columns = ['endToEndId', 'bank', 'amount', 'effect', 'paidAt', 'receivedAt'] as const;

/**
 * A Pix that the PSP confirmed for a payment; amount in centavos. It `counts` if the payment was approved or put in
 * review by it. Every other Pix goes back.
 */
export type PixReceived = Selected<'pixReceived', typeof columns> & { counts: boolean };

export type NewPix = Omit<PixReceived, 'counts'> & { txid: string };

/**
 * Inserts a Pix for a payment. An unmatched Pix becomes the payment's, together with its refunds: lock it first.
 * @returns undefined if a payment already had this Pix: an endToEndId changes a payment at most once
 */
export async function insertPixReceived(
  trx: Queryable,
  paymentId: string,
  pix: NewPix,
): Promise<{ wasKept: boolean } | undefined> {
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
  return row;
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

const knownColumns = ['endToEndId', 'bank', 'paymentId', 'unmatched', 'paidAt'] as const;

/** @returns what is known of these Pix: their payment, or why none fits */
export async function findPix(
  db: Queryable,
  endToEndIds: readonly string[],
): Promise<Selected<'pixReceived', typeof knownColumns>[]> {
  const found = db.selectFrom('pixReceived').select(knownColumns);
  return found.where('endToEndId', '=', anyOf(endToEndIds)).execute();
}

/** @returns the payment of the newest Pix that a payment has at this bank, or undefined */
export async function findNewestPaid(db: Queryable, bank: string): Promise<string | undefined> {
  const newest = db.selectFrom('pixReceived').select('paymentId').where('bank', '=', bank);
  const placed = newest.where('paymentId', 'is not', null).orderBy('paidAt', 'desc').limit(1);
  return (await placed.executeTakeFirst())?.paymentId ?? undefined;
}
