import { sql } from 'kysely';
import { beside, type ClaimBounds, claimNothing } from './claim-bounds.ts';
import { claimedColumns, claimedDetails, isWaiting } from './claimed-delivery.ts';
import type { Queryable } from './connection.ts';
import {
  chosenFrom,
  type EnteredRow,
  type Entry,
  insertDeliveries,
  leaseOrDue,
  toEntry,
} from './ledger-entry.ts';
import { inTransaction } from './transaction.ts';

/**
 * Enters the deliveries of those of these events that are the first of their payments, which wait for nothing: one
 * statement, where any others take several. What is due is claimed in the same step, as far as `bounds` allow.
 * @returns also the ids of the other events, for `enterEvents`: later ones, and what has been entered before
 */
export async function enterFirstEvents(
  db: Queryable,
  eventIds: readonly string[],
  bounds: ClaimBounds,
): Promise<Entry & { others: string[] }> {
  // `is true`, so that no plan takes the index by payment and sequence for it, and goes through all first events.
  const which = sql`e.id = any(${[...eventIds]}::uuid[]) and (e.sequence = 1) is true`;
  const rows = await insertDeliveries(db, which, bounds);
  const entered = new Set(rows.map(({ id }) => id));
  return { ...toEntry(rows), others: eventIds.filter((id) => !entered.has(id)) };
}

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
    const rows = await insertDeliveries(trx, sql`e.payment_id = any(${payments.ids}::uuid[])`, bounds);
    const entry = toEntry(rows);
    const followUps = rows.some((row) => !row.due);
    // Also a follow-up that an earlier event brought along: its own event may never come.
    if (!payments.followUps && !followUps) return entry;
    const following = await releaseFollowing(trx, payments.ids, beside(bounds, entry.claimed));
    const claimed = [...entry.claimed, ...following.claimed];
    return { entered: entry.entered, claimed, isMoreDue: entry.isMoreDue || following.isMoreDue };
  });
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
