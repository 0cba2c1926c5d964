import type { EventType } from '@payments/domain/events';
import { sql } from 'kysely';
import { type Author, recordChange } from './changes.ts';
import type { Queryable } from './connection.ts';
import type { Page } from './payment-pages.ts';
import type { DeliveryState } from './schema.ts';
import { inTransaction } from './transaction.ts';

/** A delivery as the ledger shows it. */
export type Delivery = {
  id: string;
  eventId: string;
  event: EventType;
  paymentId: string;
  storeId: string;
  url: string;
  state: DeliveryState;
  attempts: number;
  nextAttemptAt: Date | null;
  lastError: string | null;
  createdAt: Date;
};

export type Attempt = {
  number: number;
  startedAt: Date;
  durationMs: number | null;
  statusCode: number | null;
  stage: string | null;
  error: string | null;
  responseExcerpt: string | null;
};

export type DeliveryFilter = { storeId?: string; paymentId?: string; state?: DeliveryState };

// While an attempt is under way, the next is made if its lease ends.
const nextAttemptAt = sql<Date | null>`
  case when d.next_attempt_at is not null then greatest(d.next_attempt_at, d.leased_until) end`;

const deliveryColumns = [
  'd.id',
  'd.id as eventId',
  'e.type as event',
  'd.payment_id as paymentId',
  'd.store_id as storeId',
  'd.url',
  'd.state',
  'd.attempts',
  nextAttemptAt.as('nextAttemptAt'),
  'd.last_error as lastError',
  'd.created_at as createdAt',
] as const;

/** @returns one page of the ledger, newest first, and how many match on all pages */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  { page, limit }: Page,
): Promise<{ items: Delivery[]; total: number }> {
  let matching = db.selectFrom('deliveries as d');
  if (filter.storeId !== undefined) matching = matching.where('d.store_id', '=', filter.storeId);
  // They are few: named as a list, they are looked up, whatever else is asked for.
  if (filter.paymentId !== undefined) matching = matching.where(isOfPayment(filter.paymentId));
  if (filter.state !== undefined) matching = matching.where('d.state', '=', filter.state);
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await matching
    .innerJoin('events as e', 'e.id', 'd.id')
    .select(deliveryColumns)
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { items, total };
}

const isOfPayment = (paymentId: string) =>
  sql<boolean>`d.id = any(array(select id from events where payment_id = ${paymentId}))`;

export async function findDelivery(db: Queryable, id: string): Promise<Delivery | undefined> {
  return db
    .selectFrom('deliveries as d')
    .innerJoin('events as e', 'e.id', 'd.id')
    .select(deliveryColumns)
    .where('d.id', '=', id)
    .executeTakeFirst();
}

/** @returns a delivery's attempts, first to last */
export async function listAttempts(db: Queryable, deliveryId: string): Promise<Attempt[]> {
  return db
    .selectFrom('all_attempts')
    .select(['number', 'started_at as startedAt', 'duration_ms as durationMs', 'status_code as statusCode'])
    .select(['stage', 'error', 'response_excerpt as responseExcerpt'])
    .where('delivery_id', '=', deliveryId)
    .orderBy('number')
    .execute();
}

export type Redrive = { by: Author; now: Date };

/**
 * Makes a delivery due now, with a fresh retry schedule, whatever became of it. One with an attempt under way is
 * left alone, so that a redrive and an automatic attempt never run at once.
 * @returns whether it was made due
 */
export async function redeliver(db: Queryable, id: string, redrive: Redrive): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with chosen as (
      select id, payment_id, store_id, state from deliveries
      where id = ${id} and claim_id is null and (state <> 'pending' or next_attempt_at is not null)
      for update
    ), redriven as (
      update deliveries d set state = 'pending', next_attempt_at = now(), attempts_before_redrive = attempts,
        claimed_at = null, finished_at = null
      from chosen where d.id = chosen.id
    )
    ${recordOfChosen(redrive)}`.execute(db);
  return numAffectedRows === 1n;
}

function recordOfChosen({ by, now }: Redrive) {
  return sql`
    insert into changes (action, store_id, payment_id, subject, before, author, via, reason, request_id, occurred_at)
    select 'delivery.redelivered', store_id, payment_id, id, json_build_object('state', state), ${by.name}, ${by.via},
      ${by.reason}, ${by.requestId}, ${now}
    from chosen`;
}

export type RedriveFilter = { storeId?: string; state: DeliveryState; since?: Date };

/**
 * The same for many at once, oldest first; they fall due spread out, `perSecond` of them a second, so that a redrive
 * does not crowd out what is new.
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
        select *, row_number() over (order by id) as place from (
          select id, payment_id, store_id, state from deliveries
          where state = ${filter.state} and claim_id is null
            and (state <> 'pending' or next_attempt_at is not null)
            and (${filter.storeId ?? null}::uuid is null or store_id = ${filter.storeId ?? null}::uuid)
            and (${filter.since ?? null}::timestamptz is null or created_at >= ${filter.since ?? null}::timestamptz)
          order by id limit ${limit} for update skip locked
        ) due
      ), redriven as (
        update deliveries d set state = 'pending', attempts_before_redrive = attempts, claimed_at = null,
          finished_at = null, next_attempt_at = now() + (place - 1) / ${perSecond}::float8 * interval '1 second'
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
