import { sql } from 'kysely';
import { isWaiting } from './claimed-delivery.ts';
import type { Queryable } from './connection.ts';
import { inTransaction } from './transaction.ts';

// Processes of this release enter a delivery with its event. Those of the one before leave that to whoever JetStream brings
// the event to, and then it is left for the events that follow as well, so that they come in order.

// Said like this, no plan takes it for a reason to read all events that have no delivery yet: a plan that was made while
// those were few would go through all that were entered since the last vacuum, too.
const isUnledgered = sql.raw('(e.ledgered_at is null) is true');

/**
 * Enters the deliveries of these events, and of any earlier ones of the same payments that are still missing,
 * into the ledger. Repeating it, from anywhere, changes nothing. Unknown ids are passed over.
 *
 * A payment's first event is due at once; a later one becomes due when the first attempt of the one before it is
 * recorded (here, if that has happened already).
 * @returns how many deliveries are new
 */
export async function enterEvents(db: Queryable, eventIds: readonly string[]): Promise<number> {
  if (eventIds.length === 0) return 0;
  return inTransaction(db, async (trx) => {
    const payments = await paymentsOf(trx, eventIds);
    if (payments.ids.length === 0) return 0;
    const entered = await insertDeliveries(trx, payments.ids);
    // Also a follow-up that an earlier event brought along: its own event may never come.
    if (payments.followUps || entered.followUps) await releaseFollowing(trx, payments.ids);
    return entered.count;
  });
}

async function paymentsOf(trx: Queryable, eventIds: readonly string[]) {
  const { rows } = await sql<{ payment_id: string; follow_up: boolean }>`
    select payment_id, bool_or(sequence > 1) as follow_up from events
    where id = any(${[...eventIds]}::uuid[]) group by payment_id order by payment_id`.execute(trx);
  return { ids: rows.map((row) => row.payment_id), followUps: rows.some((row) => row.follow_up) };
}

/** An event is marked together with its own delivery, by whoever inserts that: no delivery stands without its mark. */
async function insertDeliveries(trx: Queryable, paymentIds: string[]) {
  const { rows } = await sql<{ sequence: number }>`
    with inserted as (
      insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, request_id,
        created_at)
      select e.id, e.payment_id, e.store_id, e.sequence, p.webhook_url, endpoint_of(e.store_id, p.webhook_url), 'pending',
        case when e.sequence = 1 then now() end, e.request_id, now()
      from events e, lateral (select webhook_url from payments where id = e.payment_id limit 1) p
      where e.payment_id = any(${paymentIds}::uuid[]) and ${isUnledgered} and p.webhook_url is not null
      order by e.id
      on conflict do nothing
      returning id, sequence
    ), marked as (
      update events set ledgered_at = now() where id = any(array(select id from inserted))
    )
    select sequence from inserted`.execute(trx);
  return { count: rows.length, followUps: rows.some(({ sequence }) => sequence > 1) };
}

/**
 * The locks make this and the recording of a first attempt see each other: whichever comes second finds what the
 * first one committed. Without them both could look too early, and the follow-up would wait for ever. A delivery that
 * retention has removed since holds nothing up.
 */
async function releaseFollowing(trx: Queryable, paymentIds: string[]): Promise<void> {
  await sql`
    select from (
      select id from events where payment_id = any(${paymentIds}::uuid[]) order by payment_id, sequence offset 0
    ) e, lateral (select from deliveries where id = e.id for no key update) d`.execute(trx);
  await sql`
    update deliveries d set next_attempt_at = now()
    where d.id = any(array(select id from events where payment_id = any(${paymentIds}::uuid[]))) and ${isWaiting('d')}
      and not exists (
        select from events e, lateral (select attempted from deliveries where id = e.id limit 1) before
        where e.payment_id = d.payment_id and e.sequence = d.sequence - 1 and not before.attempted offset 0
      )`.execute(trx);
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
