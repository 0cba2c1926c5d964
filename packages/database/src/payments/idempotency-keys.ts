import { sql } from 'kysely';
import { batched, lockWait, waitingBriefly } from '../batching.ts';
import { isFreeOf } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { bytea, type Row, run } from '../run.ts';

export type Reservation = { storeId: string; key: string; requestHash: Buffer; paymentId: string; now: Date };

/** The binding in force: the requested one, or an earlier one that is younger than 24 hours. */
export type Binding = { paymentId: string; requestHash: Buffer };

const keptFor = `interval '24 hours'`;

/**
 * Binds a store's key to a payment id first of all. A repeated request continues with the same payment and txid, also
 * after a crash.
 */
export const reserveKey = batched(reserveKeys, ({ storeId }) => storeId);

const nameOf = ({ storeId, key }: { storeId: string; key: string }) => `${storeId} ${key}`;

/** Rebinds a key that is 24 hours old. A younger key is set to its old value, so that `returning` shows it. */
const newerIfOver = (column: string) =>
  `${column} = case when known.created_at < excluded.created_at - ${keptFor} then excluded.${column} else known.${column} end`;

/** Binds the keys of $1. It waits for a lock no longer than $2, if that is given. */
const binding = `
  insert into idempotency_keys as known (store_id, key, request_hash, payment_id, created_at)
  select store_id, key, request_hash, payment_id, created_at
  from json_populate_recordset(null::idempotency_keys, $1)
  where ${waitingBriefly('$2')}
  on conflict (store_id, key) do update
    set ${['request_hash', 'payment_id', 'created_at'].map(newerIfOver)}
  returning store_id, key, payment_id, request_hash`;

async function reserveKeys(db: Queryable, reservations: readonly Reservation[]): Promise<Binding[]> {
  // The first of several requests with one key counts. Sorted keys prevent deadlocks between statements.
  const unique = new Map(reservations.toReversed().map((one) => [nameOf(one), one]));
  const given = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => rowOf(one));
  const values = [JSON.stringify(given), lockWait(db)];
  const rows = await run<{ storeId: string; key: string } & Binding>(db, binding, values);
  const bound = new Map(rows.map((row) => [nameOf(row), row]));
  return reservations.map((reservation) => bound.get(nameOf(reservation)) as Binding);
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
    .where('createdAt', '>=', sql<Date>`${now}::timestamptz - ${sql.raw(keptFor)}`)
    .executeTakeFirst();
}

function rowOf({ storeId, key, requestHash, paymentId, now }: Reservation): Row<'idempotencyKeys'> {
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
    .where('createdAt', '<', sql<Date>`${now}::timestamptz - ${sql.raw(keptFor)}`)
    .orderBy('createdAt')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('idempotencyKeys').where(isFreeOf(old)).executeTakeFirst();
  return Number(numDeletedRows);
}
