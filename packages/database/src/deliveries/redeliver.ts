import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import type { DeliveryState } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

export type Redrive = { by: Author; now: Date };

/**
 * Makes a delivery due now with a new retry schedule, whatever its state. It skips a delivery with an attempt in
 * flight, so a redrive and an automatic attempt never run at once.
 * @returns whether it was made due
 */
export async function redeliver(db: Queryable, id: string, redrive: Redrive): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with chosen as (
      select id, payment_id, store_id, state from deliveries
      where id = ${id} and claimed_by is null and (state <> 'pending' or next_attempt_at is not null)
      for update
    ), redriven as (
      update deliveries d set state = 'pending', next_attempt_at = now(), attempts_before_redrive = attempts
      from chosen where d.id = chosen.id
    )
    ${recordOfChosen(redrive)}`.execute(db);
  return numAffectedRows === 1n;
}

function recordOfChosen({ by, now }: Redrive) {
  return sql`
    insert into changes (action, store_id, payment_id, subject, before, author, author_id, via, reason, request_id, occurred_at)
    select 'delivery.redelivered', store_id, payment_id, id, json_build_object('state', state), ${by.name}, ${by.id ?? null}::uuid,
      ${by.via}, ${by.reason}, ${by.requestId}, ${now}
    from chosen`;
}

export type RedriveFilter = { storeId?: string; state: DeliveryState; since?: Date };

/**
 * Does the same for many, oldest first. `perSecond` of them fall due each second, so that a redrive does not crowd out
 * new deliveries.
 * @returns how many were made due
 */
export async function redeliverMany(
  db: Queryable,
  filter: RedriveFilter,
  { limit, perSecond }: { limit: number; perSecond: number },
  redrive: Redrive,
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { numAffectedRows } = await sql`
      with chosen as (
        select *, row_number() over (order by created_at, id) as place from (
          select id, payment_id, store_id, state, created_at from deliveries
          where state = ${filter.state} and claimed_by is null
            and (state <> 'pending' or next_attempt_at is not null)
            and (${filter.storeId ?? null}::uuid is null or store_id = ${filter.storeId ?? null}::uuid)
            and (${filter.since ?? null}::timestamptz is null or created_at >= ${filter.since ?? null}::timestamptz)
          order by created_at, id limit ${limit} for update skip locked
        ) due
      ), redriven as (
        update deliveries d set state = 'pending', attempts_before_redrive = attempts,
          next_attempt_at = now() + (place - 1) / ${perSecond}::float8 * interval '1 second'
        from chosen where d.id = chosen.id
      )
      ${recordOfChosen(redrive)}`.execute(trx);
    const redelivered = Number(numAffectedRows ?? 0n);
    if (redelivered > 0) await recordMany(trx, filter, redelivered, redrive);
    return redelivered;
  });
}

async function recordMany(
  trx: Queryable,
  { storeId, state, since }: RedriveFilter,
  redelivered: number,
  { by, now }: Redrive,
): Promise<void> {
  await recordChange(trx, by, {
    action: 'deliveries.redelivered',
    at: now,
    storeId: storeId ?? null,
    to: { state, since: since?.toISOString() ?? null, redelivered },
  });
}
