import { sql } from 'kysely';
import { batched, waitingBriefly } from '../batching.ts';
import { isFreeOf } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { bytea, insertRows } from '../json-rows.ts';

export type Reservation = { storeId: string; key: string; requestHash: Buffer; paymentId: string; now: Date };

/** The binding in force: the requested one, or an earlier one that is younger than 24 hours. */
export type Binding = { paymentId: string; requestHash: Buffer };

const keptFor = sql`interval '24 hours'`;

/**
 * Binds a store's key to a payment id first of all. A repeated request continues with the same payment and txid, also
 * after a crash.
 */
export const reserveKey = batched(reserveKeys, ({ storeId }) => storeId);

const nameOf = ({ storeId, key }: { storeId: string; key: string }) => `${storeId} ${key}`;

async function reserveKeys(db: Queryable, reservations: readonly Reservation[]): Promise<Binding[]> {
  // The first of several requests with one key counts. Sorted keys prevent deadlocks between statements.
  const unique = new Map(reservations.toReversed().map((one) => [nameOf(one), one]));
  const given = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => rowOf(one));
  const { rows } = await sql<{ storeId: string; key: string } & Binding>`
    ${insertRows('idempotencyKeys', given, sql.raw(waitingBriefly))}
    on conflict (store_id, key) do update set ${sql.join(['request_hash', 'payment_id', 'created_at'].map(newerIfOver))}
    returning store_id, key, payment_id, request_hash`.execute(db);
  const bound = new Map(rows.map((row) => [nameOf(row), row]));
  return reservations.map((reservation) => bound.get(nameOf(reservation)) as Binding);
}

/** Rebinds a key that is 24 hours old. A younger key is set to its old value, so that `returning` shows it. */
function newerIfOver(column: string) {
  const name = sql.ref(column);
  const isOver = sql`known.created_at < excluded.created_at - ${keptFor}`;
  return sql`${name} = case when ${isOver} then excluded.${name} else known.${name} end`;
}

/** @returns the binding of a store's key that is in force; undefined without one */
export async function findBinding(
  db: Queryable,
  { storeId, key, now }: Pick<Reservation, 'storeId' | 'key' | 'now'>,
): Promise<Binding | undefined> {
  return db
    .selectFrom('idempotencyKeys')
    .select(['paymentId', 'requestHash'])
    .where(({ and }) => and({ storeId, key }))
    .where('createdAt', '>=', sql<Date>`${now}::timestamptz - ${keptFor}`)
    .executeTakeFirst();
}

function rowOf({ storeId, key, requestHash, paymentId, now }: Reservation) {
  return {
    store_id: storeId,
    key,
    request_hash: bytea(requestHash),
    payment_id: paymentId,
    created_at: now,
  };
}

/**
 * Deletes up to `limit` keys older than 24 hours.
 * @returns how many were deleted
 */
export async function forgetIdempotencyKeys(db: Queryable, now: Date, limit: number): Promise<number> {
  const old = db
    .selectFrom('idempotencyKeys')
    .where('createdAt', '<', sql<Date>`${now}::timestamptz - ${keptFor}`)
    .orderBy('createdAt')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('idempotencyKeys').where(isFreeOf(old)).executeTakeFirst();
  return Number(numDeletedRows);
}
