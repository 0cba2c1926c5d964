import type { TimeRange } from '@payments/domain/days';
import type { RefundState } from '@payments/domain/refunds';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { given, isWithin, type Page, type Paged, readPage } from '../filters.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import { type Refund, refundColumns } from './refunds.ts';

/** A refund, with the store, order and customer of its payment; null if its Pix fits no payment. */
export type RefundOfStore = Refund & {
  storeId: string | null;
  observation: string | null;
  email: string | null;
  /** When its Pix was paid, by the bank's time. */
  paidAt: Date;
};

/** Selects refunds, also by the time of their order. */
export type RefundFilter = TimeRange &
  KindFilter & {
    storeId?: string;
    bank?: string;
    state?: RefundState;
    /** Only refunds that have not been made. */
    isNotMade?: true;
    /** Only refunds that wait for a person. */
    isOwed?: true;
    /** Only refunds that began at the bank. */
    isOfBank?: true;
    /** Only refunds that wait for a person or for their next order. */
    isWaiting?: true;
    /** Only refunds in progress, to be ordered again, or waiting for a person: without replaced ones. */
    isOpen?: true;
  };

// Written without parameters, exactly as in the partial indexes.
const areNotMade = sql<boolean>`state <> 'refunded'`;
const areOwed = sql<boolean>`owed is not null`;
const areWaiting = sql<boolean>`(owed is not null or order_again_at is not null)`;
const areOpen = sql<boolean>`(state <> 'failed' or owed is not null or order_again_at is not null)`;

/**
 * @param order `owedFirst` puts refunds that wait for a person first
 * @returns one page of refunds, newest first, and their total
 */
export async function listRefundsFound(
  db: Queryable,
  filter: RefundFilter,
  page: Page,
  order: { owedFirst?: boolean } = {},
): Promise<Paged<RefundOfStore>> {
  const found = refundsFound(db, filter);
  return readPage(newestFirst(order.owedFirst ? found.orderBy(sql`owed is null`) : found), page);
}

/** @returns the refunds that follow one, newest first; the first ones without it */
export async function readRefundsAfter(
  db: Queryable,
  filter: RefundFilter,
  { after, limit }: { after: RefundOfStore | undefined; limit: number },
): Promise<RefundOfStore[]> {
  const found = newestFirst(refundsFound(db, filter)).limit(limit);
  if (!after) return found.execute();
  const { createdAt, endToEndId, id } = after;
  const isBehind = sql<boolean>`(refunds.created_at, end_to_end_id, refunds.id) < (${createdAt}, ${endToEndId}, ${id})`;
  return found.where(isBehind).execute();
}

/** Sums of refunds; amounts in centavos. */
export type RefundSums = {
  total: number;
  /** What was ordered, and of a refused refund only what is still missing: the bank may have returned a part (MED). */
  amount: number;
  /** How many the service stopped ordering after refusals: a person must act. */
  owedCount: number;
  owedAmount: number;
  /** When the service next orders a refused one again; null if none waits. */
  nextOrderAt: Date | null;
};

/** @returns the sums of the refunds that the list with this filter has */
export async function sumRefundsFound(db: Queryable, filter: RefundFilter): Promise<RefundSums> {
  return refundsFound(db, filter)
    .clearSelect()
    .select([
      sql<number>`count(*)`.as('total'),
      sql<number>`coalesce(sum(coalesce(owed, order_again_amount, refunds.amount)), 0)::bigint`.as('amount'),
      sql<number>`count(owed)`.as('owedCount'),
      sql<number>`coalesce(sum(owed), 0)::bigint`.as('owedAmount'),
      sql<Date | null>`min(order_again_at)`.as('nextOrderAt'),
    ])
    .executeTakeFirstOrThrow();
}

const pixPaidAt = sql<Date>`(select x.paid_at from pix_received x where x.end_to_end_id = refunds.end_to_end_id)`;

function refundsFound(db: Queryable, filter: RefundFilter) {
  const { storeId, test, bank, state, isNotMade, isOwed, isWaiting, isOfBank, isOpen } = filter;
  const origin = isOfBank && ('bank' as const);
  const refunds = db
    .selectFrom('refunds')
    .leftJoin('payments', 'payments.id', 'refunds.paymentId')
    .select([...refundColumns, 'storeId', 'observation', 'email', pixPaidAt.as('paidAt')])
    .where(({ and }) => and(given({ storeId, state, 'refunds.bank': bank, origin })))
    .where(isOfKind(test, { bank: 'refunds.bank' }))
    .where(isWithin('refunds.createdAt', filter));
  return refunds
    .$if(isNotMade === true, (found) => found.where(areNotMade))
    .$if(isOwed === true, (found) => found.where(areOwed))
    .$if(isWaiting === true, (found) => found.where(areWaiting))
    .$if(isOpen === true, (found) => found.where(areOpen));
}

function newestFirst(refunds: ReturnType<typeof refundsFound>) {
  return refunds
    .orderBy('refunds.createdAt', 'desc')
    .orderBy('endToEndId', 'desc')
    .orderBy('refunds.id', 'desc');
}
