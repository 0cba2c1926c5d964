import type { RefundState } from '@payments/domain/refunds';
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

export type RefundFilter = {
  storeId?: string;
  bank?: string;
  state?: Exclude<RefundState, 'refunded'>;
  /** Only refunds that wait for a person. */
  isOwed?: true;
  /** Only refunds that the bank started (MED). */
  isOfBank?: true;
  /** Only refunds in progress, to be ordered again, or waiting for a person: without replaced ones. */
  isOpen?: true;
  /** Puts refunds that wait for a person first. */
  owedFirst?: true;
};

// Written without parameters, exactly as in the partial indexes.
const areNotMade = sql<boolean>`state <> 'refunded'`;
const areOwed = sql<boolean>`owed is not null`;
const areOpen = sql<boolean>`(state <> 'failed' or owed is not null or order_again_at is not null)`;

/** @returns one page of the refunds that have not been made, newest first, and their total */
export async function listRefundsNotMade(
  db: Queryable,
  { storeId, bank, state, isOwed, isOfBank, isOpen, owedFirst }: RefundFilter,
  page: Page,
): Promise<Paged<RefundOfStore>> {
  let refunds = withStore(db).where(isOwed ? areOwed : areNotMade);
  if (state !== undefined) refunds = refunds.where('state', '=', state);
  if (storeId !== undefined) refunds = refunds.where('store_id', '=', storeId);
  if (bank !== undefined) refunds = refunds.where('refunds.bank', '=', bank);
  if (isOfBank) refunds = refunds.where('origin', '=', 'bank');
  if (isOpen) refunds = refunds.where(areOpen);
  if (owedFirst) refunds = refunds.orderBy(sql`owed is null`);
  return readPage(refunds.orderBy('refunds.created_at', 'desc').orderBy('refunds.id'), page);
}

/** Refunds with what their tables show of the payment; nothing for a Pix that fits no payment. */
export function withStore(db: Queryable) {
  return db
    .selectFrom('refunds')
    .leftJoin('payments', 'payments.id', 'refunds.payment_id')
    .select([...refundColumns, 'store_id as storeId', 'observation', 'email']);
}

/** Refunds that the service stopped ordering after refusals: a person must act. Amount in centavos. */
export type Owed = { refunds: number; amount: number };

export async function countRefundsOwed(db: Queryable): Promise<Owed> {
  const { refunds, amount } = await db
    .selectFrom('refunds')
    .select(({ fn }) => [fn.countAll<number>().as('refunds'), fn.sum<string | null>('owed').as('amount')])
    .where(areOwed)
    .executeTakeFirstOrThrow();
  return { refunds, amount: Number(amount ?? 0) };
}

/** @returns when the service next orders a refused refund again; null if none waits */
export async function nextRefundOrder(db: Queryable): Promise<Date | null> {
  const { next } = await db
    .selectFrom('refunds')
    .select(({ fn }) => fn.min('order_again_at').as('next'))
    .where('order_again_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return next;
}
