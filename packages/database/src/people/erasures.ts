import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { inTransaction } from '../transaction.ts';
import { eraseCopies, erasePerson, findPaymentsOf } from './personal-data.ts';

/** Payments whose texts are to leave JetStream, too. */
export type Erasure = { id: string; paymentIds: string[]; storeIds: string[] };

/**
 * Erases a person from the database at once. The erasure stays open until `finishErasure`: a request in flight may
 * still write what it read before.
 * @returns the number of payments that named the person
 */
export async function erase(
  db: Queryable,
  { id, email, now: at }: { id: string; email: string; now: Date },
  by: Author,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const payments = await findPaymentsOf(trx, email);
    await erasePerson(trx, email, payments);
    const ids = payments.map((payment) => payment.id);
    await trx.insertInto('erasures').values({ id, payment_ids: ids, requested_at: at }).execute();
    const to = { payments: ids.length };
    await recordChange(trx, by, { action: 'person.erased', at, storeId: null, subject: id, to });
    return ids.length;
  });
}

/** @returns the oldest open erasure that was requested before a time */
export async function findOpenErasure(db: Queryable, before: Date): Promise<Erasure | undefined> {
  const erasure = await db
    .selectFrom('erasures')
    .select(['id', 'payment_ids as paymentIds'])
    .where('finished_at', 'is', null)
    .where('requested_at', '<=', before)
    .orderBy('requested_at')
    .executeTakeFirst();
  if (!erasure) return undefined;
  const stores = await db
    .selectFrom('payments')
    .select('store_id as storeId')
    .distinct()
    .where('id', 'in', [...erasure.paymentIds, erasure.id])
    .execute();
  return { ...erasure, storeIds: stores.map(({ storeId }) => storeId) };
}

/** Erases what requests in flight wrote meanwhile, and ends the erasure; it forgets whose payments they were. */
export async function finishErasure(db: Queryable, { id, paymentIds }: Erasure, now: Date): Promise<void> {
  await inTransaction(db, async (trx) => {
    await eraseCopies(trx, paymentIds);
    await trx
      .updateTable('erasures')
      .set({ finished_at: now, payment_ids: [] })
      .where('id', '=', id)
      .execute();
  });
}
