import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Page, type Paged, readPage } from '../filters.ts';
import type { Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

const columns = [
  'endToEndId',
  'bank',
  'txid',
  'amount',
  'unmatched as reason',
  'paidAt',
  'receivedAt',
] as const;

/**
 * A Pix that the bank lists for one of our charges and that fits no payment; amount in centavos. `reason` is
 * `charge_unknown`, `not_in_charge` or `no_payment`.
 */
export type UnmatchedPix = Selected<'pixReceived', typeof columns> & { reason: string };

/**
 * Inserts a Pix that fits no payment, unless it is known.
 * @returns whether it is new
 */
export async function insertUnmatchedPix(db: Queryable, pix: UnmatchedPix): Promise<boolean> {
  const { reason: unmatched, ...columns } = pix;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('pixReceived')
    .values({ ...columns, effect: 'unmatched', unmatched })
    .onConflict((oc) => oc.column('endToEndId').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

function unmatchedPix(db: Queryable) {
  return db.selectFrom('pixReceived').select(columns).$narrowType<{ reason: string }>();
}

// Written exactly as in the partial indexes: with a parameter instead, the planner could not use them.
const isNotReturned = sql<boolean>`unmatched <> 'returned'`;

/** @returns the endToEndIds of the unmatched Pix of a charge at a bank that have not gone back whole */
export async function listUnmatchedOf(db: Queryable, bank: string, txid: string): Promise<string[]> {
  const ofCharge = unmatchedPix(db).where('txid', '=', txid).where('bank', '=', bank);
  return (await ofCharge.where(isNotReturned).execute()).map(({ endToEndId }) => endToEndId);
}

/** Records that all of an unmatched Pix has gone back. */
export async function setUnmatchedReturned(trx: Queryable, endToEndId: string): Promise<void> {
  await trx
    .updateTable('pixReceived')
    .set({ unmatched: 'returned' })
    .where('endToEndId', '=', endToEndId)
    .execute();
}

/** @returns one page of the Pix that fit no payment, newest first, and their total */
export async function listUnmatchedPix(
  db: Queryable,
  page: Page,
  { test }: KindFilter = {},
): Promise<Paged<UnmatchedPix>> {
  const listed = unmatchedPix(db)
    .where(isNotReturned)
    .where(isOfKind(test, { bank: 'bank' }));
  return readPage(listed.orderBy('receivedAt', 'desc').orderBy('endToEndId', 'desc'), page);
}

/** @returns the Pix if it fits no payment, locked until the transaction ends */
export async function lockUnmatchedPix(
  trx: Queryable,
  endToEndId: string,
): Promise<UnmatchedPix | undefined> {
  return (
    unmatchedPix(trx)
      .where('endToEndId', '=', endToEndId)
      .where('unmatched', 'is not', null)
      // Lets others insert rows that refer to it.
      .forNoKeyUpdate()
      .executeTakeFirst()
  );
}
