import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { ClaimedDelivery } from './claimed-delivery.ts';
import { isReserved } from './reserved.ts';

/** The order in which rows are locked everywhere, so that two transactions never wait in a circle. */
export function byPayment(a: ClaimedDelivery, b: ClaimedDelivery): number {
  if (a.paymentId === b.paymentId) return a.sequence - b.sequence;
  return a.paymentId < b.paymentId ? -1 : 1;
}

/**
 * Whether a delivery is still claimed by who attempted it, as SQL. One that is reserved again is, too, if that was its
 * first attempt: that it was taken for it was undone by a crash of the server.
 */
export function isHeld(row: string, attempt: string): RawBuilder<boolean> {
  const isUndone = sql`${sql.ref(`${attempt}.number`)} = 1 and ${isReserved(row)}`;
  return sql<boolean>`(${sql.ref(`${row}.claim_id`)} = ${sql.ref(`${attempt}.claim_id`)} or ${isUndone})`;
}

/**
 * Keeps the claims of attempts that are still under way, and the other replicas from probing beside a probe. One that
 * somebody else has locked can't be claimed meanwhile, and is renewed the next time: it must not hold up the others.
 */
export async function renewLeases(
  db: Queryable,
  deliveries: readonly ClaimedDelivery[],
  leaseMs: number,
): Promise<void> {
  const ids = deliveries.map((delivery) => delivery.id);
  const claims = deliveries.map((delivery) => delivery.claimId);
  const numbers = deliveries.map((delivery) => delivery.attempt);
  const { rows: held } = await sql<{ id: string }>`
    with claim as (
      select * from unnest(${ids}::uuid[], ${claims}::uuid[], ${numbers}::int[]) as c (id, claim_id, number)
    ), free as (
      select c.* from claim c, lateral (select from deliveries where id = c.id for no key update skip locked) d
    )
    update deliveries d set leased_until = now() + ${leaseMs} * interval '1 millisecond', claim_id = c.claim_id,
      attempts = greatest(d.attempts, c.number)
    from free c where d.id = c.id and ${isHeld('d', 'c')}
    returning d.id`.execute(db);
  const stillHeld = new Set(held.map((row) => row.id));
  const probed = deliveries.filter(({ id, probe }) => probe && stillHeld.has(id));
  if (probed.length === 0) return;
  // A statement of its own, so that it waits for no delivery while it holds an endpoint.
  await sql`
    update failing_endpoints set open_until = now() + ${leaseMs} * interval '1 millisecond'
    where phase = 'half-open' and id = any(${probed.map(({ endpoint }) => endpoint)}::uuid[])`.execute(db);
}

/** Gives claims back without an attempt, which costs no retry: each falls due again after its rest. */
export async function putOffDeliveries(
  db: Queryable,
  rests: readonly { delivery: ClaimedDelivery; restMs: number }[],
): Promise<void> {
  const inOrder = rests.toSorted((a, b) => byPayment(a.delivery, b.delivery));
  const ids = inOrder.map(({ delivery }) => delivery.id);
  const claims = inOrder.map(({ delivery }) => delivery.claimId);
  await sql`
    update deliveries d set claim_id = null, claimed_at = null, leased_until = null, attempts = d.attempts - 1,
      next_attempt_at = now() + held.rest_ms * interval '1 millisecond'
    from unnest(${ids}::uuid[], ${claims}::uuid[], ${inOrder.map(({ restMs }) => restMs)}::float8[])
      as held (id, claim_id, rest_ms)
    where d.id = held.id and d.claim_id = held.claim_id`.execute(db);
}
