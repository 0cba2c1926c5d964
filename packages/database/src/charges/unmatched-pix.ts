import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Page, type Paged, readPage } from '../payments/pages.ts';
import type { Selected } from '../schema.ts';

const columns = [
  'end_to_end_id as endToEndId',
  'txid',
  'amount',
  'unmatched as reason',
  'paid_at as paidAt',
  'received_at as receivedAt',
] as const;

/**
 * A Pix that the bank lists for a charge of ours and that fits no payment; amount in centavos. `reason` says why it fits
 * none: `charge_unknown`, `not_in_charge` or `no_payment`.
 */
export type UnmatchedPix = Selected<'pix_received', typeof columns> & { reason: string };

/** Keeps a Pix that fits no payment, unless it is known. @returns whether it is new */
export async function insertUnmatchedPix(db: Queryable, pix: UnmatchedPix): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('pix_received')
    .values({
      end_to_end_id: pix.endToEndId,
      txid: pix.txid,
      amount: pix.amount,
      effect: 'unmatched',
      unmatched: pix.reason,
      paid_at: pix.paidAt,
      received_at: pix.receivedAt,
    })
    .onConflict((oc) => oc.column('end_to_end_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** @returns the endToEndIds of the Pix that are kept of a charge and have no place yet */
export async function listUnmatchedOf(db: Queryable, txid: string): Promise<string[]> {
  const rows = await unmatched(db).select('end_to_end_id as id').where('txid', '=', txid).execute();
  return rows.map(({ id }) => id);
}

/** What has gone back whole has no place to find any more. */
function unmatched(db: Queryable) {
  // As the indexes say it that hold only these: a plan with a parameter in its place could not use them.
  return db.selectFrom('pix_received').where(sql<boolean>`unmatched <> 'returned'`);
}

/** Notes that all of a Pix that fitted no payment has gone back. */
export async function setUnmatchedReturned(trx: Queryable, endToEndId: string): Promise<void> {
  await trx
    .updateTable('pix_received')
    .set({ unmatched: 'returned' })
    .where('end_to_end_id', '=', endToEndId)
    .execute();
}

/** @returns one page of the Pix that fit no payment, newest first, and how many there are */
export async function listUnmatchedPix(db: Queryable, page: Page): Promise<Paged<UnmatchedPix>> {
  const listed = unmatched(db).select(columns).$narrowType<{ reason: string }>();
  return readPage(listed.orderBy('received_at', 'desc').orderBy('end_to_end_id', 'desc'), page);
}

/** @returns the Pix while it fits no payment, locked until the transaction ends */
export async function lockUnmatchedPix(
  trx: Queryable,
  endToEndId: string,
): Promise<UnmatchedPix | undefined> {
  return (
    trx
      .selectFrom('pix_received')
      .select(columns)
      .$narrowType<{ reason: string }>()
      .where('end_to_end_id', '=', endToEndId)
      .where('unmatched', 'is not', null)
      // What refers to it may be inserted meanwhile.
      .forNoKeyUpdate()
      .executeTakeFirst()
  );
}

/** @returns whether a Pix is kept that fits no payment, and something of it was ordered back */
export async function isKeptWithRefunds(trx: Queryable, endToEndId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('refunds')
    .select('id')
    .where('end_to_end_id', '=', endToEndId)
    .where('payment_id', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns those of these Pix that went back whole while they fitted no payment */
export async function findReturnedUnmatched(
  db: Queryable,
  endToEndIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('pix_received')
    .select('end_to_end_id as id')
    .where('end_to_end_id', '=', ({ fn, val }) => fn.any(val([...endToEndIds])))
    .where('unmatched', '=', 'returned')
    .execute();
  return rows.map(({ id }) => id);
}
