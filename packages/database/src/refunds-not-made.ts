import { refundableStatuses } from '@payments/domain/refund-anew';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './connection.ts';
import type { Page } from './payment-pages.ts';
import type { Refund } from './refunds.ts';
import type { RefundState } from './schema.ts';

export type RefundNotMade = Refund & {
  storeId: string;
  /** The bank refused it, the money is still here, and nothing was ordered instead: a person is to order it anew. */
  isOwed: boolean;
};

export type RefundFilter = { storeId?: string; state?: Exclude<RefundState, 'refunded'> };

const isOwed: RawBuilder<boolean> = sql`(r.state = 'failed' and r.origin = 'service'
  and (r.reason = 'second_pix' or p.status = any(${[...refundableStatuses]}::text[]))
  and not exists (select from refunds n where n.end_to_end_id = r.end_to_end_id and n.origin = 'service'
    and (n.replaces = r.id or n.created_at > r.created_at) offset 0)
  and (select amount from pix_received x where x.end_to_end_id = r.end_to_end_id) > (select coalesce(sum(m.amount), 0)
    from refunds m where m.end_to_end_id = r.end_to_end_id and m.state <> 'failed'))`;

/** @returns one page of the refunds that have not been made, newest first, and how many there are */
export async function listRefundsNotMade(
  db: Queryable,
  { storeId, state }: RefundFilter,
  { page, limit }: Page,
): Promise<{ items: RefundNotMade[]; total: number }> {
  const matching = sql`from refunds r join payments p on p.id = r.payment_id where r.state <> 'refunded'
    ${state === undefined ? sql`` : sql`and r.state = ${state}`}
    ${storeId === undefined ? sql`` : sql`and p.store_id = ${storeId}`}`;
  const counted = await sql<{ total: number }>`select count(*) as total ${matching}`.execute(db);
  const { rows } = await sql<RefundNotMade>`
    select r.id, r.end_to_end_id as "endToEndId", r.payment_id as "paymentId", p.store_id as "storeId", r.amount,
      r.origin, r.reason, r.state, r.rtr_id as "rtrId", r.tries, r.last_error as "lastError", r.replaces,
      r.created_at as "createdAt", r.updated_at as "updatedAt", ${isOwed} as "isOwed"
    ${matching} order by r.created_at desc, r.id limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  return { items: rows, total: counted.rows[0]?.total ?? 0 };
}

/** @returns how many Pix are to go back and were refused by the bank: each waits for a person */
export async function countRefundsOwed(db: Queryable): Promise<number> {
  const { rows } = await sql<{ owed: number }>`
    select count(distinct r.end_to_end_id) as owed from refunds r join payments p on p.id = r.payment_id
    where r.state <> 'refunded' and ${isOwed}`.execute(db);
  return rows[0]?.owed ?? 0;
}
