import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import { run } from '../run.ts';
import type { Selected } from '../schema.ts';

/**
 * A Pix that the PSP confirmed for a payment; amount in centavos. It `counts` if the payment was approved or put in
 * review by it. Every other Pix goes back.
 */
export type PixReceived = Selected<
  'pixReceived',
  readonly ['endToEndId', 'bank', 'amount', 'effect', 'paidAt', 'receivedAt']
> & { counts: boolean };

export type NewPix = Omit<PixReceived, 'counts'> & { txid: string };

const lockForNew = `
  with kept as (
    select from pix_received where end_to_end_id = $1 and unmatched is not null for no key update
  )
  select review_above as "reviewAbove", exists (select from kept) as "isKept" from stores where id = $2`;

/**
 * Reads what decides about a Pix that is new to a locked payment, and locks it where it was unmatched: its refunds, ours
 * and the bank's, take the same lock.
 * @returns `isKept`: it fits no payment yet; `reviewAbove` of the store, in centavos
 */
export async function lockForNewPix(
  trx: Queryable,
  { endToEndId, storeId }: { endToEndId: string; storeId: string },
): Promise<{ reviewAbove: number | null; isKept: boolean }> {
  const [found] = await run<{ reviewAbove: number | null; isKept: boolean }>(trx, lockForNew, [
    endToEndId,
    storeId,
  ]);
  return found ?? { reviewAbove: null, isKept: false };
}

const insertion = `
  insert into pix_received as known (end_to_end_id, payment_id, bank, txid, amount, effect, unmatched, paid_at, received_at)
  values ($1, $2, $3, $4, $5, $6, null, $7, $8)
  on conflict (end_to_end_id) do update
    set payment_id = excluded.payment_id, effect = excluded.effect, unmatched = null, txid = excluded.txid
    where known.payment_id is null and known.bank = excluded.bank
  returning xmax <> 0 as "wasKept"`;

/**
 * Inserts a Pix for a payment. An unmatched Pix becomes the payment's, together with its refunds: lock it first.
 * @returns undefined if a payment already had this Pix: an endToEndId changes a payment at most once
 */
export async function insertPixReceived(
  trx: Queryable,
  paymentId: string,
  { endToEndId, bank, txid, amount, effect, paidAt, receivedAt }: NewPix,
): Promise<{ wasKept: boolean } | undefined> {
  const values = [endToEndId, paymentId, bank, txid, amount, effect, paidAt, receivedAt];
  const [row] = await run<{ wasKept: boolean }>(trx, insertion, values);
  if (row?.wasKept)
    await trx.updateTable('refunds').set({ paymentId }).where('endToEndId', '=', endToEndId).execute();
  return row;
}

const ofPayment = `
  select end_to_end_id, bank, amount, effect, paid_at, received_at, effect in ('approved', 'review') as counts
  from pix_received where payment_id = $1
  order by received_at, paid_at`;

/** @returns the Pix received for a payment, oldest first */
export async function listPixReceived(db: Queryable, paymentId: string): Promise<PixReceived[]> {
  return run(db, ofPayment, [paymentId]);
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
