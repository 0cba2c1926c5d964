import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type ClaimBounds, freeSlots, isLeftAlone } from './claim-bounds.ts';
import {
  type ClaimedDelivery,
  type ClaimRow,
  claimedColumns,
  claimedDetails,
  toClaimed,
} from './claimed-delivery.ts';

// A delivery that its event's own process entered is reserved for a while, so that the process that JetStream tells of it
// need not compete for it: it takes it under the lease that it has. That moves it in no index, and is not worth a wait for
// the disk, as what a crash of the server undoes is a lease that ends.

const reservedForMs = 10_000;
// It is renewed 4.5 s after it was taken at the latest; the rest is for a slow database.
const leftAtLeastMs = 7_000;
// Who changes a payment's status keeps others from its delivery, for a moment if all is well.
const lockTimeoutMs = 1_000;

/** Whether a delivery is reserved, or was and nobody took it, as SQL: claimed by nobody yet, and never attempted. */
export function isReserved(row: string): RawBuilder<boolean> {
  return sql.raw(
    `(${row}.claim_id is null and ${row}.claimed_at is not null and ${row}.attempts = 0) is true`,
  );
}

/**
 * Enters deliveries: the last part of a statement that inserts their events.
 * @param entering selects id, payment_id, store_id, sequence, url and request_id, and as `due` whether it waits for no other
 */
export function enterDeliveries(entering: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, request_id, state, next_attempt_at,
      claimed_at, created_at)
    select id, payment_id, store_id, sequence, url, endpoint_of(store_id, url), request_id, 'pending',
      case when due then now() + ${reservedForMs} * interval '1 millisecond' end, case when due then now() end, now()
    from (${entering}) entering`;
}

export type Taken = {
  /** Those that this process is to attempt. */
  claimed: ClaimedDelivery[];
  /** Whether more of them are due than the bounds allowed. */
  isMoreDue: boolean;
};

// Of this statement alone.
const settings = sql`(select set_config('synchronous_commit', 'off', true)
  || set_config('lock_timeout', ${String(lockTimeoutMs)}, true)) is not null`;

type TakenRow = Omit<ClaimRow, 'claim_id'> & { claim_id: string | null };

/**
 * Takes the deliveries of these events that are reserved, as far as `bounds` allow; the others of them fall due at once.
 * What is claimed, recorded, or waits for the event before it, is passed over, and so is what comes so late that its lease
 * may end before it is renewed. Rejects when one of them stays locked for a second.
 */
export async function takeReserved(
  db: Queryable,
  eventIds: readonly string[],
  bounds: ClaimBounds,
): Promise<Taken> {
  const { rows } = await sql<TakenRow>`
    with known as (
      select ${claimedColumns('d')}, ${isReserved('d')}
          and (next_attempt_at > now() + ${leftAtLeastMs} * interval '1 millisecond') is true as reserved
      from deliveries d where id = any(${[...eventIds]}::uuid[])
    ), ranked as (
      select *, row_number() over (partition by endpoint, possible order by id) as place
      from (select *, reserved and not ${isLeftAlone(bounds, 'known')} as possible from known) known
    ), allowed as (
      select *, possible and place <= ${freeSlots(bounds, 'ranked')} as allowed from ranked
    ), judged as materialized (
      select *, allowed and row_number() over (order by allowed desc, id) <= ${bounds.limit} as chosen from allowed
    ), taken as (
      update deliveries d set claim_id = ${randomUUID()}, claimed_at = now(), attempts = 1
      where id = any(array(select id from judged where chosen)) and ${isReserved('d')}
        and (next_attempt_at > now()) is true and ${settings}
      returning ${claimedColumns('d')}
    ), left_due as (
      update deliveries d set claimed_at = null, next_attempt_at = now()
      where id = any(array(select id from judged where reserved and not chosen)) and ${isReserved('d')}
    ), claimed as (
      select * from taken
      union all
      select id, null, payment_id, store_id, sequence, url, endpoint, attempts, attempts_before_redrive, request_id
      from judged where reserved and not chosen
    )
    ${claimedDetails}`.execute(db);
  const isClaimed = (row: TakenRow): row is TakenRow & ClaimRow => row.claim_id !== null;
  return {
    claimed: rows.filter(isClaimed).map((row) => toClaimed(row, false)),
    isMoreDue: !rows.every(isClaimed),
  };
}
