import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf } from '../filters.ts';
import { eraseAllCopies, erasePersonFrom, findPaymentsOf } from './personal-data.ts';

/** An erasure whose payments' texts are to leave JetStream, too. `email` is null once nothing more is searched. */
export type Erasure = { id: string; email: string | null; paymentIds: string[]; requestedAt: Date };

/**
 * Begins an erasure. It stays open until `finishErasures`: a request in flight may still write a payment that names the
 * person, or what it read before.
 */
export async function insertErasure(trx: Queryable, erasure: Erasure): Promise<void> {
  await trx.insertInto('erasures').values(erasure).execute();
}

/** @returns the open erasures, oldest first */
export async function listOpenErasures(db: Queryable): Promise<Erasure[]> {
  return db
    .selectFrom('erasures')
    .select(['id', 'email', 'paymentIds', 'requestedAt'])
    .where('finishedAt', 'is', null)
    .orderBy('requestedAt')
    .execute();
}

/**
 * Erases the person again, from payments that were written since.
 * @param isLast forgets the e-mail
 * @returns the erasure with these payments
 */
export async function eraseAgain(db: Queryable, erasure: Erasure, isLast: boolean): Promise<Erasure> {
  const { id, email } = erasure;
  if (email === null) return erasure;
  const found = await findPaymentsOf(db, email);
  const open = db.updateTable('erasures').where('id', '=', id).where('finishedAt', 'is', null);
  // Kept first, since it is found no more once it is erased. Another dispatcher may do the same now: what it found stays.
  await open.set({ paymentIds: sql`payment_ids || ${found}::uuid[]` }).execute();
  await erasePersonFrom(db, email, found);
  if (isLast) await open.set({ email: null }).execute();
  return { ...erasure, paymentIds: [...erasure.paymentIds, ...found] };
}

/** @returns the stores of payments */
export async function storesOf(db: Queryable, paymentIds: readonly string[]): Promise<string[]> {
  const stores = await db
    .selectFrom('payments')
    .select('storeId')
    .distinct()
    .where('id', '=', anyOf(paymentIds))
    .execute();
  return stores.map(({ storeId }) => storeId);
}

/** Erases what requests in flight wrote meanwhile, and ends the erasures; they forget whose payments they were. */
export async function finishErasures(db: Queryable, erasures: readonly Erasure[], now: Date): Promise<void> {
  await eraseAllCopies(
    db,
    erasures.flatMap(({ paymentIds }) => paymentIds),
  );
  await db
    .updateTable('erasures')
    .set({ finishedAt: now, paymentIds: [], email: null })
    .where('id', '=', anyOf(erasures.map(({ id }) => id)))
    .execute();
}
