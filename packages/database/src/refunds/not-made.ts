import type { RefundState } from '@payments/domain/refunds';
import type { TimeRange } from '@payments/domain/time-ranges';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Page, type Paged, readPage } from '../payments/pages.ts';
import { type Refund, refundColumns } from './refunds.ts';

/** A refund, with the store, order and customer of its payment; null if its Pix fits no payment. */
export type RefundOfStore = Refund & {
  storeId: string | null;
  observation: string | null;
  email: string | null;
};

/** Selects refunds that have not been made, by the time of their order. */
export type RefundFilter = TimeRange & {
  storeId?: string;
  bank?: string;
  state?: Exclude<RefundState, 'refunded'>;
  /** Only refunds that wait for a person. */
  isOwed?: true;
  /** Only refunds that the bank started (MED). */
  isOfBank?: true;
  /** Only refunds in progress, to be ordered again, or waiting for a person: without replaced ones. */
  isOpen?: true;
};

// Written without parameters, exactly as in the partial indexes.
const areNotMade = sql<boolean>`state <> 'refunded'`;
const areOwed = sql<boolean>`owed is not null`;
const areOpen = sql<boolean>`(state <> 'failed' or owed is not null or order_again_at is not null)`;

/**
 * @param order `owedFirst` puts refunds that wait for a person first
 * @returns one page of the refunds that have not been made, newest first, and their total
 */
export async function listRefundsNotMade(
  db: Queryable,
  filter: RefundFilter,
  page: Page,
  order: { owedFirst?: boolean } = {},
): Promise<Paged<RefundOfStore>> {
  const refunds = refundsNotMade(db, filter).$if(order.owedFirst === true, (found) =>
    found.orderBy(sql`owed is null`),
  );
  return readPage(refunds.orderBy('refunds.createdAt', 'desc').orderBy('refunds.id'), page);
}

/** @returns the sum of the refunds that the list with this filter has, in centavos */
export async function sumRefundsNotMade(db: Queryable, filter: RefundFilter): Promise<number> {
  const { sum } = await refundsNotMade(db, filter)
    .clearSelect()
    .select(({ fn }) => fn.sum<string | null>('refunds.amount').as('sum'))
    .executeTakeFirstOrThrow();
  return Number(sum ?? 0);
}

function refundsNotMade(db: Queryable, filter: RefundFilter) {
  const { storeId, bank, state, since, until, isOwed, isOfBank, isOpen } = filter;
  let refunds = withStore(db).where(isOwed ? areOwed : areNotMade);
  if (state !== undefined) refunds = refunds.where('state', '=', state);
  if (storeId !== undefined) refunds = refunds.where('storeId', '=', storeId);
  if (bank !== undefined) refunds = refunds.where('refunds.bank', '=', bank);
  if (since) refunds = refunds.where('refunds.createdAt', '>=', since);
  if (until) refunds = refunds.where('refunds.createdAt', '<', until);
  if (isOfBank) refunds = refunds.where('origin', '=', 'bank');
  return isOpen ? refunds.where(areOpen) : refunds;
}

/** Refunds with what their tables show of the payment; nothing for a Pix that fits no payment. */
export function withStore(db: Queryable) {
  return db
    .selectFrom('refunds')
    .leftJoin('payments', 'payments.id', 'refunds.paymentId')
    .select([...refundColumns, 'storeId', 'observation', 'email']);
}

/** Refunds that the service stopped ordering after refusals: a person must act. Amount in centavos. */
export type Owed = { refunds: number; amount: number };

/** Of one store, or of all. */
type OfStore = { storeId?: string };

export async function countRefundsOwed(db: Queryable, ofStore: OfStore = {}): Promise<Owed> {
  const { refunds, amount } = await refundsOf(db, ofStore)
    .select(({ fn }) => [fn.countAll<number>().as('refunds'), fn.sum<string | null>('owed').as('amount')])
    .where(areOwed)
    .executeTakeFirstOrThrow();
  return { refunds, amount: Number(amount ?? 0) };
}

/** @returns when the service next orders a refused refund again; null if none waits */
export async function nextRefundOrder(db: Queryable, ofStore: OfStore = {}): Promise<Date | null> {
  const { next } = await refundsOf(db, ofStore)
    .select(({ fn }) => fn.min('orderAgainAt').as('next'))
    .where('orderAgainAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return next;
}

function refundsOf(db: Queryable, { storeId }: OfStore) {
  const refunds = db.selectFrom('refunds');
  if (storeId === undefined) return refunds;
  const own = db.selectFrom('payments').select('id').where('storeId', '=', storeId);
  return refunds.where('paymentId', 'in', own);
}
