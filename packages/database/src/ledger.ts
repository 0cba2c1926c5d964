import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { beside, type ClaimBounds, claimNothing, freeSlots, isLeftAlone } from './claim-bounds.ts';
import {
  type ClaimedDelivery,
  type ClaimRow,
  claimedColumns,
  claimedDetails,
  isWaiting,
  toClaimed,
} from './claimed-delivery.ts';
import type { Queryable } from './connection.ts';
import { inTransaction } from './transaction.ts';

export type Entry = {
  /** How many deliveries are new. */
  entered: number;
  /** Those that this process may attempt at once. */
  claimed: ClaimedDelivery[];
  /** Whether more of them are due than were claimed. */
  isMoreDue: boolean;
};

/**
 * Enters the deliveries of these events, and of any earlier ones of the same payments that are still missing,
 * into the ledger. Repeating it, from anywhere, changes nothing. Unknown ids are passed over.
 *
 * A payment's first event is due at once; a later one becomes due when the first attempt of the one before it is
 * recorded (here, if that has happened already). What is due is claimed in the same step, as far as `bounds` allow:
 * most deliveries are never claimed from the queue.
 */
export async function enterEvents(
  db: Queryable,
  eventIds: readonly string[],
  bounds: ClaimBounds = claimNothing,
): Promise<Entry> {
  const nothing = { entered: 0, claimed: [], isMoreDue: false };
  if (eventIds.length === 0) return nothing;
  return inTransaction(db, async (trx) => {
    const payments = await paymentsOf(trx, eventIds);
    if (payments.ids.length === 0) return nothing;
    const { followUps, ...entry } = await insertDeliveries(trx, payments.ids, bounds);
    // Also a follow-up that an earlier event brought along: its own event may never come.
    if (!payments.followUps && !followUps) return entry;
    const following = await releaseFollowing(trx, payments.ids, beside(bounds, entry.claimed));
    const claimed = [...entry.claimed, ...following.claimed];
    return { entered: entry.entered, claimed, isMoreDue: entry.isMoreDue || following.isMoreDue };
  });
}

type EnteredRow = Omit<ClaimRow, 'claim_id'> & { claim_id: string | null; due: boolean };

/** An event is marked together with its own delivery, by whoever inserts that: no delivery stands without its mark. */
async function insertDeliveries(
  trx: Queryable,
  paymentIds: string[],
  bounds: ClaimBounds,
): Promise<Entry & { followUps: boolean }> {
  const { rows } = await sql<EnteredRow>`
    with entering as (
      select e.id, e.payment_id, e.store_id, e.sequence, p.webhook_url as url,
        endpoint_of(e.store_id, p.webhook_url) as endpoint, e.request_id, e.sequence = 1 as due
      from events e, lateral (select webhook_url from payments where id = e.payment_id limit 1) p
      where e.payment_id = any(${paymentIds}::uuid[]) and e.ledgered_at is null and p.webhook_url is not null
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
    ${claimedDetails}`.execute(trx);
  return { ...toEntry(rows), followUps: rows.some((row) => !row.due) };
}

/** Of rows that are `due`, those that the bounds allow to be claimed: a `with` element `chosen`. */
function chosenFrom(rows: 'entering' | 'following', bounds: ClaimBounds): RawBuilder<unknown> {
  return sql`chosen as (
    select id, ${randomUUID()}::uuid as claim_id, now() as claimed_at from (
      select id, endpoint, row_number() over (partition by endpoint order by id) as place
      from ${sql.ref(rows)} where due and not ${isLeftAlone(bounds, rows)}
    ) ranked
    where place <= ${freeSlots(bounds, 'ranked')} order by id limit ${bounds.limit}
  )`;
}

function leaseOrDue({ leaseMs }: ClaimBounds): RawBuilder<unknown> {
  return sql`case when c.id is not null then now() + ${leaseMs} * interval '1 millisecond' when n.due then now() end`;
}

function toEntry(rows: readonly EnteredRow[]): Entry {
  const isClaimed = (row: EnteredRow): row is EnteredRow & ClaimRow => row.claim_id !== null;
  return {
    entered: rows.length,
    claimed: rows.filter(isClaimed).map((row) => toClaimed(row, false)),
    isMoreDue: rows.some((row) => row.due && !isClaimed(row)),
  };
}

async function paymentsOf(trx: Queryable, eventIds: readonly string[]) {
  const { rows } = await sql<{ payment_id: string; follow_up: boolean }>`
    select payment_id, bool_or(sequence > 1) as follow_up from events
    where id = any(${[...eventIds]}::uuid[]) group by payment_id order by payment_id`.execute(trx);
  return { ids: rows.map((row) => row.payment_id), followUps: rows.some((row) => row.follow_up) };
}

/**
 * The locks make this and the recording of a first attempt see each other: whichever comes second finds what the
 * first one committed. Without them both could look too early, and the follow-up would wait for ever. A delivery that
 * retention has removed since holds nothing up.
 */
async function releaseFollowing(trx: Queryable, paymentIds: string[], bounds: ClaimBounds): Promise<Entry> {
  await sql`
    select from deliveries where payment_id = any(${paymentIds}::uuid[])
    order by payment_id, sequence for no key update`.execute(trx);
  const { rows } = await sql<EnteredRow>`
    with following as (
      select id, endpoint, true as due from deliveries d
      where payment_id = any(${paymentIds}::uuid[]) and ${isWaiting('d')}
        and not exists (select from deliveries before where before.payment_id = d.payment_id
          and before.sequence = d.sequence - 1 and not before.attempted offset 0)
    ), ${chosenFrom('following', bounds)}, claimed as (
      update deliveries d set next_attempt_at = ${leaseOrDue(bounds)}, claim_id = c.claim_id, claimed_at = c.claimed_at,
        attempts = d.attempts + (c.id is not null)::int
      from following n left join chosen c on c.id = n.id
      where d.id = n.id
      returning ${claimedColumns('d')}, true as due
    )
    ${claimedDetails}`.execute(trx);
  return toEntry(rows);
}

/** @returns up to `limit` events that should have a delivery by now and have none: whatever JetStream lost */
export async function findUnledgered(
  db: Queryable,
  { olderThan, limit }: { olderThan: Date; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('events')
    .select('id')
    .where('ledgered_at', 'is', null)
    .where('occurred_at', '<', olderThan)
    .orderBy('occurred_at')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}
