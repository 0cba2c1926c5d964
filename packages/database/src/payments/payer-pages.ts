import type { PayerFacts } from '@payments/domain/payer-state';
import { sql } from 'kysely';
import { anyOf } from '../arrays.ts';
import type { Queryable } from '../connection.ts';

/** What a payer may see of a payment: nothing that the store noted about the customer. Amount in centavos. */
export type PayerPayment = NonNullable<Awaited<ReturnType<typeof findForPayer>>>;

/** @returns the payment with its store's name, or undefined */
export async function findForPayer(db: Queryable, id: string) {
  return db
    .selectFrom('payments as p')
    .innerJoin('stores as s', 's.id', 'p.store_id')
    .select(['p.id', 's.name as storeName', 'p.status', 'p.amount', 'p.copy_and_paste as copyAndPaste'])
    .select('p.expires_at as expiresAt')
    .where('p.id', '=', id)
    .executeTakeFirst();
}

/** @returns how far these payments are, in one statement */
export async function readPayerFacts(
  db: Queryable,
  ids: readonly string[],
): Promise<(PayerFacts & { id: string })[]> {
  return db
    .selectFrom('payments')
    .select(['id', 'status', 'expires_at as expiresAt'])
    .select(sql<boolean>`copy_and_paste is not null`.as('hasCode'))
    .where('id', '=', anyOf(ids))
    .execute();
}
