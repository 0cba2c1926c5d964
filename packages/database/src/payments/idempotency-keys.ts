import { sql } from 'kysely';
import { type GatherOptions, gather, ofRequests } from '../batching.ts';
import type { Queryable } from '../connection.ts';

export type Reservation = { storeId: string; key: string; requestHash: Buffer; paymentId: string; now: Date };

/** The binding in force: the one that was asked for, or the earlier one if it is younger than 24 hours. */
export type Binding = { paymentId: string; requestHash: Buffer };

const keptFor = '24 hours';

/**
 * @returns binds a store's key to a payment id before anything else happens, so that whoever repeats the request, also
 *   after a crash in the middle, goes on with the same payment and the same txid (design 5); keys that come at the same
 *   time are bound in one commit
 */
export function keyReserver(
  db: Queryable,
  together: GatherOptions = ofRequests,
): (reservation: Reservation) => Promise<Binding> {
  return gather((reservations: Reservation[]) => reserveKeys(db, reservations), together);
}

const nameOf = ({ storeId, key }: { storeId: string; key: string }) => `${storeId} ${key}`;

async function reserveKeys(db: Queryable, reservations: readonly Reservation[]): Promise<Binding[]> {
  // Of several with one key the first; and in one order everywhere, so that two statements never wait in a circle.
  const unique = new Map(reservations.toReversed().map((one) => [nameOf(one), one]));
  const given = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  const isOver = sql`known.created_at < excluded.created_at - ${keptFor}::interval`;
  const { rows } = await sql<{ store_id: string; key: string; payment_id: string; request_hash: Buffer }>`
    insert into idempotency_keys as known (store_id, key, request_hash, payment_id, created_at)
    select * from unnest(
      ${given.map(({ storeId }) => storeId)}::uuid[], ${given.map(({ key }) => key)}::text[],
      ${given.map(({ requestHash }) => requestHash)}::bytea[], ${given.map(({ paymentId }) => paymentId)}::uuid[],
      ${given.map(({ now }) => now.toISOString())}::timestamptz[])
    on conflict (store_id, key) do update set
      request_hash = case when ${isOver} then excluded.request_hash else known.request_hash end,
      payment_id = case when ${isOver} then excluded.payment_id else known.payment_id end,
      created_at = case when ${isOver} then excluded.created_at else known.created_at end
    returning store_id, key, payment_id, request_hash`.execute(db);
  const bound = new Map(
    rows.map((row) => [
      nameOf({ storeId: row.store_id, key: row.key }),
      { paymentId: row.payment_id, requestHash: row.request_hash },
    ]),
  );
  return reservations.map((reservation) => bound.get(nameOf(reservation)) as Binding);
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
