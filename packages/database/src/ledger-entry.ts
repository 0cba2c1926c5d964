import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type ClaimBounds, freeSlots, isLeftAlone } from './claim-bounds.ts';
import {
  type ClaimedDelivery,
  type ClaimRow,
  claimedColumns,
  claimedDetails,
  toClaimed,
} from './claimed-delivery.ts';
import type { Queryable } from './connection.ts';

export type Entry = {
  /** How many deliveries are new. */
  entered: number;
  /** Those that this process may attempt at once. */
  claimed: ClaimedDelivery[];
  /** Whether more of them are due than were claimed. */
  isMoreDue: boolean;
};

export type EnteredRow = Omit<ClaimRow, 'claim_id'> & { claim_id: string | null; due: boolean };

// Said like this, no plan takes it for a reason to read all events that have no delivery yet: a plan that was made while
// those were few would go through all that were entered since the last vacuum, too.
const isUnledgered = sql.raw('(e.ledgered_at is null) is true');

/**
 * Inserts the deliveries of events that have none, and claims what the bounds allow. An event is marked together with
 * its own delivery, by whoever inserts that: no delivery stands without its mark.
 * @param which says which events `e`, as SQL
 */
export async function insertDeliveries(
  db: Queryable,
  which: RawBuilder<unknown>,
  bounds: ClaimBounds,
): Promise<EnteredRow[]> {
  const { rows } = await sql<EnteredRow>`
    with entering as (
      select e.id, e.payment_id, e.store_id, e.sequence, p.webhook_url as url,
        endpoint_of(e.store_id, p.webhook_url) as endpoint, e.request_id, e.sequence = 1 as due
      from events e, lateral (select webhook_url from payments where id = e.payment_id limit 1) p
      where ${which} and ${isUnledgered} and p.webhook_url is not null
    ), ${chosenFrom('entering', bounds)}, claimed as (
      insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, claim_id,
        claimed_at, attempts, request_id, created_at)
      select n.id, n.payment_id, n.store_id, n.sequence, n.url, n.endpoint, 'pending', ${leaseOrDue(bounds)}, c.claim_id,
        c.claimed_at, (c.id is not null)::int, n.request_id, now()
      from entering n left join chosen c on c.id = n.id
      order by n.id
      on conflict do nothing
      returning ${claimedColumns('deliveries')}, sequence = 1 as due
    ), marked as (
      update events set ledgered_at = now() where id = any(array(select id from claimed))
    )
    ${claimedDetails}`.execute(db);
  return rows;
}

/** Of rows that are `due`, those that the bounds allow to be claimed: a `with` element `chosen`. */
export function chosenFrom(rows: 'entering' | 'following', bounds: ClaimBounds): RawBuilder<unknown> {
  return sql`chosen as (
    select id, ${randomUUID()}::uuid as claim_id, now() as claimed_at from (
      select id, endpoint, row_number() over (partition by endpoint order by id) as place
      from ${sql.ref(rows)} where due and not ${isLeftAlone(bounds, rows)}
    ) ranked
    where place <= ${freeSlots(bounds, 'ranked')} order by id limit ${bounds.limit}
  )`;
}

export function leaseOrDue({ leaseMs }: ClaimBounds): RawBuilder<unknown> {
  return sql`case when c.id is not null then now() + ${leaseMs} * interval '1 millisecond' when n.due then now() end`;
}

export function toEntry(rows: readonly EnteredRow[]): Entry {
  const isClaimed = (row: EnteredRow): row is EnteredRow & ClaimRow => row.claim_id !== null;
  return {
    entered: rows.length,
    claimed: rows.filter(isClaimed).map((row) => toClaimed(row, false)),
    isMoreDue: rows.some((row) => row.due && !isClaimed(row)),
  };
}
