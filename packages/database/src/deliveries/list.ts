import type { TimeRange } from '@payments/domain/days';
import type { DeliveryError } from '@payments/domain/delivery-error';
import type { EventType, WebhookContent } from '@payments/domain/events';
import { type InferResult, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { anyOf, given, isWithin, type Page, type Paged, readPage } from '../filters.ts';
import type { DeliveryState, LoggedAttempt } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import type { Attempt } from './record.ts';

/** Selects deliveries, also by the time of their creation. */
export type DeliveryFilter = TimeRange &
  KindFilter & { storeId?: string; paymentId?: string; state?: DeliveryState };

const deliveryColumns = [
  'd.id',
  'd.id as eventId',
  sql<EventType>`(select type from events where id = d.id)`.as('event'),
  'd.paymentId',
  'd.storeId',
  'd.url',
  'd.state',
  'd.attempts',
  'd.nextAttemptAt',
  sql<DeliveryError | null>`d.attempt_log -> -1 -> 'error'`.as('lastError'),
  'd.createdAt',
] as const;

/** A delivery as administrators see it. */
export type Delivery = InferResult<ReturnType<typeof deliveries>>[number];

/** @returns one page of deliveries, newest first, and the total of all pages */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  page: Page,
): Promise<Paged<Delivery>> {
  return readPage(newestFirst(db, filter), page);
}

/** @returns the deliveries that follow one, newest first; the first ones without it */
export async function readDeliveriesAfter(
  db: Queryable,
  filter: DeliveryFilter,
  { after, limit }: { after: Delivery | undefined; limit: number },
): Promise<Delivery[]> {
  const found = newestFirst(db, filter).limit(limit);
  return (after ? found.where(isBehind(after)) : found).execute();
}

function newestFirst(db: Queryable, filter: DeliveryFilter) {
  const { storeId, test, paymentId, state } = filter;
  const found = deliveries(db)
    .where(({ and }) => and(given({ 'd.storeId': storeId, state })))
    .where(isOfKind(test, { store: 'd.storeId' }))
    .where(isWithin('d.createdAt', filter))
    .orderBy('d.createdAt', 'desc')
    .orderBy('d.id', 'desc');
  // A payment has few deliveries: a list of ids makes the planner look them up by id.
  return paymentId === undefined ? found : found.where(isOfPayment(paymentId));
}

function deliveries(db: Queryable) {
  return db.selectFrom('deliveries as d').select(deliveryColumns);
}

// A JavaScript date lacks the column's microseconds.
const isBehind = ({ id }: Delivery) =>
  sql<boolean>`(d.created_at, d.id) < (select created_at, id from deliveries where id = ${id})`;

const isOfPayment = (paymentId: string) =>
  sql<boolean>`d.id = any(array(select id from events where payment_id = ${paymentId}))`;

export async function findDelivery(db: Queryable, id: string): Promise<Delivery | undefined> {
  return deliveries(db).where('d.id', '=', id).executeTakeFirst();
}

/** @returns the content of a payment's webhooks by their delivery, with the bytes that are sent */
export async function readContents(db: Queryable, paymentId: string): Promise<Map<string, WebhookContent>> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'type', 'previousStatus', sql<string>`payload::text`.as('payment')])
    .select([
      sql<string | null>`previous::text`.as('previous'),
      sql<string | null>`refund::text`.as('refund'),
    ])
    .where('paymentId', '=', paymentId)
    .execute();
  return new Map(rows.map(({ id, ...content }) => [id, content]));
}

/** @returns the attempts of deliveries, first to last, by the delivery's id */
export async function readAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<Map<string, Attempt[]>> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'attemptLog as log'])
    .where('id', '=', anyOf(deliveryIds))
    .execute();
  const read = (attempt: LoggedAttempt) => ({ ...attempt, startedAt: new Date(attempt.startedAt) });
  return new Map(rows.map(({ id, log }) => [id, log.map(read)]));
}
