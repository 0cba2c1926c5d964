import type { EventType, WebhookContent } from '@payments/domain/events';
import type { TimeRange } from '@payments/domain/time-ranges';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Page } from '../payments/pages.ts';
import type { DeliveryState } from '../schema.ts';
import type { Attempt } from './record.ts';

/** A delivery as administrators see it. */
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

/** Selects deliveries, also by the time of their creation. */
export type DeliveryFilter = TimeRange & { storeId?: string; paymentId?: string; state?: DeliveryState };

const deliveryColumns = [
  'd.id',
  'd.id as eventId',
  'e.type as event',
  'd.paymentId',
  'd.storeId',
  'd.url',
  'd.state',
  'd.attempts',
  'd.nextAttemptAt',
  sql<string | null>`d.attempt_log -> -1 ->> 'error'`.as('lastError'),
  'd.createdAt',
] as const;

/** @returns one page of deliveries, newest first, and the total of all pages */
export async function listDeliveries(
  db: Queryable,
  filter: DeliveryFilter,
  { page, limit }: Page,
): Promise<{ items: Delivery[]; total: number }> {
  const matching = deliveriesOf(db, filter);
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await matching
    .innerJoin('events as e', 'e.id', 'd.id')
    .select(deliveryColumns)
    .orderBy('d.createdAt', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { items, total };
}

/** @returns the deliveries that follow one, newest first; the first ones without it */
export async function readDeliveriesAfter(
  db: Queryable,
  filter: DeliveryFilter,
  { after, limit }: { after: Delivery | undefined; limit: number },
): Promise<Delivery[]> {
  return deliveriesOf(db, filter)
    .$if(after !== undefined, (deliveries) => deliveries.where(isBehind(after!)))
    .innerJoin('events as e', 'e.id', 'd.id')
    .select(deliveryColumns)
    .orderBy('d.createdAt', 'desc')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .execute();
}

function deliveriesOf(db: Queryable, filter: DeliveryFilter) {
  let matching = db.selectFrom('deliveries as d');
  if (filter.storeId !== undefined) matching = matching.where('d.storeId', '=', filter.storeId);
  // A payment has few deliveries: a list of ids makes the planner look them up by id.
  if (filter.paymentId !== undefined) matching = matching.where(isOfPayment(filter.paymentId));
  if (filter.state !== undefined) matching = matching.where('d.state', '=', filter.state);
  return matching.where(isCreatedIn(filter));
}

/** @returns SQL: whether the delivery `d` was created in the range */
function isCreatedIn({ since, until }: TimeRange) {
  const first = since ? sql`d.created_at >= ${since}` : sql`true`;
  const last = until ? sql`d.created_at < ${until}` : sql`true`;
  return sql<boolean>`${first} and ${last}`;
}

// A JavaScript date lacks the column's microseconds.
const isBehind = ({ id }: Delivery) =>
  sql<boolean>`(d.created_at, d.id) < (select created_at, id from deliveries where id = ${id})`;

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

/** @returns the content of a payment's webhooks by their delivery, with the bytes that are sent */
export async function readContents(db: Queryable, paymentId: string): Promise<Map<string, WebhookContent>> {
  const rows = await db
    .selectFrom('events')
    .select(['id', 'type', 'previousStatus', sql<string>`payload::text`.as('payment')])
    .where('paymentId', '=', paymentId)
    .execute();
  return new Map(rows.map(({ id, ...content }) => [id, content]));
}

/** @returns a delivery's attempts, first to last */
export async function listAttempts(db: Queryable, deliveryId: string): Promise<Attempt[]> {
  const row = await db
    .selectFrom('deliveries')
    .select('attemptLog as log')
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  return (row?.log ?? []).map((attempt) => ({ ...attempt, startedAt: new Date(attempt.startedAt) }));
}
