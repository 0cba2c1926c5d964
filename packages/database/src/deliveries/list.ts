import type { EventType } from '@payments/domain/events';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Page } from '../payments/pages.ts';
import type { DeliveryState } from '../schema.ts';

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
