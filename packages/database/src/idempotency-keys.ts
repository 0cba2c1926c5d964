import { sql } from 'kysely';
import type { Queryable } from './connection.ts';

export type Reservation = { storeId: string; key: string; requestHash: Buffer; paymentId: string; now: Date };

const keptFor = '24 hours';

/**
 * Binds a store's key to a payment id before anything else happens, so that whoever repeats the request, also
 * after a crash in the middle, goes on with the same payment and the same txid (design 5).
 * @returns the binding in force: this one, or the earlier one if it is younger than 24 hours
 */
export async function reserveIdempotencyKey(
  db: Queryable,
  { storeId, key, requestHash, paymentId, now }: Reservation,
): Promise<{ paymentId: string; requestHash: Buffer }> {
  const { rows } = await sql<{ payment_id: string; request_hash: Buffer }>`
    insert into idempotency_keys as known (store_id, key, request_hash, payment_id, created_at)
    values (${storeId}, ${key}, ${requestHash}, ${paymentId}, ${now})
    on conflict (store_id, key) do update set
      request_hash = case when known.created_at < ${now}::timestamptz - ${keptFor}::interval then excluded.request_hash else known.request_hash end,
      payment_id = case when known.created_at < ${now}::timestamptz - ${keptFor}::interval then excluded.payment_id else known.payment_id end,
      created_at = case when known.created_at < ${now}::timestamptz - ${keptFor}::interval then excluded.created_at else known.created_at end
    returning payment_id, request_hash`.execute(db);
  const row = rows[0]!;
  return { paymentId: row.payment_id, requestHash: row.request_hash };
}

/** Forgets up to `limit` keys older than 24 hours. @returns how many were forgotten */
export async function forgetIdempotencyKeys(db: Queryable, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where (store_id, key) in (
      select store_id, key from idempotency_keys
      where created_at < ${now}::timestamptz - ${keptFor}::interval
      order by created_at limit ${limit} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
