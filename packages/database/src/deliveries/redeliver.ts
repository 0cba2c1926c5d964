import { withoutEmails } from '@payments/domain/personal-data';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf, isWithin, pagesOf } from '../filters.ts';
import { type Author, recordChange } from '../record/changes.ts';
import type { DeliveryState } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import { isLeased } from './leases.ts';

export type Redrive = { by: Author; now: Date };

/**
 * Makes a delivery due now with a new retry schedule, whatever its state. It skips a delivery with an attempt in
 * flight, so a redrive and an automatic attempt never run at once.
 * @returns whether it was made due
 */
export async function redeliver(db: Queryable, id: string, redrive: Redrive): Promise<boolean> {
  const chosen = sql`id = ${id} and ${isRedrivable} for update`;
  return (await redriveChosen(db, chosen, redrive)) === 1;
}

export type RedriveFilter = KindFilter & { storeId?: string; state: DeliveryState; since?: Date };

const most = 10_000;
const perSecond = 50;
// A commit keeps every other entry of the record waiting: one of 10,000 entries for a second and more.
const batchSize = 250;

/**
 * Does the same for up to 10,000, oldest first, some at a time. 50 of them fall due each second, so that a redrive does
 * not crowd out new deliveries. What waits for its attempt already is left as it is: a repeated redrive would only fill
 * the record.
 * @returns how many were made due
 */
export async function redeliverMany(db: Queryable, filter: RedriveFilter, redrive: Redrive): Promise<number> {
  const { storeId = null, test, state, since } = filter;
  const ofStore = storeId === null ? sql`true` : sql`store_id = ${storeId}`;
  const isMeant = sql`state = ${state} and ${ofStore} and ${isOfKind(test, { store: 'storeId' })} and ${isWithin('createdAt', { since })} and ${isRedrivable} and (state <> 'pending' or attempts > attempts_before_redrive)`;
  const { rows } = await sql<{ id: string }>`
    select id from deliveries where ${isMeant} order by created_at, id limit ${most}`.execute(db);
  const ids = rows.map(({ id }) => id);
  let redelivered = 0;
  for (const batch of pagesOf(ids, batchSize)) {
    const chosen = sql`id = ${anyOf(batch)} and ${isMeant} for update skip locked`;
    redelivered += await redriveChosen(db, chosen, redrive, redelivered);
  }
  const to = { state, since: since?.toISOString() ?? null, redelivered };
  if (redelivered > 0)
    await recordChange(db, redrive.by, { action: 'deliveries.redelivered', at: redrive.now, storeId, to });
  return redelivered;
}

// A process that died has left its claim, which holds nothing.
const isRedrivable = sql`not ${sql.raw(isLeased('claimed_by'))} and (state <> 'pending' or next_attempt_at is not null)`;

/**
 * Also records the change of each delivery.
 * @param before how many of the same order fall due earlier
 */
async function redriveChosen(
  db: Queryable,
  which: RawBuilder<unknown>,
  { by, now }: Redrive,
  before = 0,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with chosen as (
      select *, row_number() over (order by created_at, id) as place from (
        select id, payment_id, store_id, state, created_at from deliveries where ${which}
      ) due
    ), redriven as (
      update deliveries d set state = 'pending', attempts_before_redrive = attempts,
        next_attempt_at = now() + (${before}::int + place - 1) / ${perSecond}::float8 * interval '1 second'
      from chosen where d.id = chosen.id
    )
    insert into changes (action, store_id, payment_id, subject, before, author, author_id, via, reason, request_id,
      address, browser, occurred_at)
    select 'delivery.redelivered', store_id, payment_id, id, json_build_object('state', state),
      ${by.name && withoutEmails(by.name)}, ${by.id ?? null}::uuid, ${by.via}, ${by.reason}, ${by.requestId},
      ${by.address ?? null}, ${by.browser ? withoutEmails(by.browser) : null}, ${now}
    from chosen`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
