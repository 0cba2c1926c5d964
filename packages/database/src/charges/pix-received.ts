import { knownAs, paymentIdOf, txidOf } from '@payments/domain/identifiers';
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

/** What decides about the Pix of a charge that are new to its payment. */
export type BeforeNewPix = {
  /** The Pix that the payment has. */
  known: string[];
  /** Whether one of them came at the payment's own bank. */
  received: boolean;
  /** The charge's Pix that fit no payment yet, also those that were kept under an id in another case. */
  kept: string[];
  /** The store's, in centavos. */
  reviewAbove: number | null;
};

const beforeNew = `
  with kept as (
    select end_to_end_id from pix_received where end_to_end_id = any($1) and unmatched is not null
    order by end_to_end_id for no key update
  ), known as (
    select end_to_end_id, bank from pix_received where payment_id = $2
  )
  select array(select end_to_end_id from known) as known, exists (select from known where bank = $3) as received,
    array(select end_to_end_id from kept) as kept, review_above as "reviewAbove",
    array(select end_to_end_id from pix_received where txid = $5 and unmatched is not null) as "ofCharge"
  from stores where id = $4`;

/**
 * Reads what decides about the Pix of a locked payment's charge, and locks those that were unmatched: their refunds, ours
 * and the bank's, take the same lock.
 */
export async function lockForNewPix(
  trx: Queryable,
  endToEndIds: readonly string[],
  { id, bank, storeId }: { id: string; bank: string | null; storeId: string },
): Promise<BeforeNewPix> {
  const values = [endToEndIds, id, bank, storeId, txidOf(id)];
  const [found] = await run<BeforeNewPix & { ofCharge: string[] }>(trx, beforeNew, values);
  const { ofCharge, ...before } = found!;
  const inAnotherCase = ofCharge.filter(
    (one) => !endToEndIds.includes(one) && endToEndIds.some((shown) => knownAs(shown, [one]) === one),
  );
  if (inAnotherCase.length === 0) return before;
  return lockForNewPix(trx, [...endToEndIds, ...inAnotherCase], { id, bank, storeId });
}

const insertion = `
  insert into pix_received as known (end_to_end_id, payment_id, bank, txid, amount, effect, unmatched, paid_at, received_at)
  values ($1, $2, $3, $4, $5, $6, null, $7, $8)
  on conflict (end_to_end_id) do update
    set payment_id = excluded.payment_id, bank = excluded.bank, effect = excluded.effect, unmatched = null,
      txid = excluded.txid
    where known.payment_id is null and (known.bank = excluded.bank or known.txid = excluded.txid)
  returning xmax <> 0 as "wasKept"`;

/**
 * Inserts a Pix for a payment. An unmatched Pix becomes the payment's, together with its refunds: lock it first. Another
 * entry of the same account may have kept it, of the same charge.
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
    await trx.updateTable('refunds').set({ paymentId, bank }).where('endToEndId', '=', endToEndId).execute();
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

const knownColumns = ['endToEndId', 'bank', 'txid', 'paymentId', 'unmatched', 'paidAt'] as const;

/**
 * @returns what is known of these Pix, and of those of these charges, placed on their payments or not: their payment, or
 * why none fits
 */
export async function findPix(
  db: Queryable,
  endToEndIds: readonly string[],
  txids: readonly string[] = [],
): Promise<Selected<'pixReceived', typeof knownColumns>[]> {
  const found = db.selectFrom('pixReceived').select(knownColumns);
  if (txids.length === 0) return found.where('endToEndId', '=', anyOf(endToEndIds)).execute();
  const payments = txids.flatMap((txid) => paymentIdOf(txid) ?? []);
  return found
    .where(({ eb, or, and }) =>
      or([
        eb('endToEndId', '=', anyOf(endToEndIds)),
        eb('paymentId', '=', anyOf(payments)),
        and([eb('txid', '=', anyOf(txids)), eb('unmatched', 'is not', null)]),
      ]),
    )
    .execute();
}

/** @returns the payment of the newest Pix that a payment has at this bank, or undefined */
export async function findNewestPaid(db: Queryable, bank: string): Promise<string | undefined> {
  const newest = db.selectFrom('pixReceived').select('paymentId').where('bank', '=', bank);
  const placed = newest.where('paymentId', 'is not', null).orderBy('paidAt', 'desc').limit(1);
  return (await placed.executeTakeFirst())?.paymentId ?? undefined;
}
