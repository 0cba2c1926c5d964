import type { PayerFacts } from '@payments/domain/payer-state';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** A payment as its payer may see it: nothing that the store noted about the customer. Amount in centavos. */
export type PayerPayment = NonNullable<Awaited<ReturnType<typeof findForPayer>>>;

/** @returns the payment with its store's name, or undefined */
export async function findForPayer(db: Queryable, id: string) {
  return db
    .selectFrom('payments as p')
    .innerJoin('stores as s', 's.id', 'p.storeId')
    .select(['p.id', 's.name as storeName', 'p.test', 'p.status', 'p.amount', 'p.copyAndPaste'])
    .select('p.expiresAt')
    .where('p.id', '=', id)
    .executeTakeFirst();
}

/** A payment and what is known of it. */
export type KnownFacts = PayerFacts & { id: string };

/** @returns what is new of these payments, in one statement; most of them have not changed */
export async function readChangedFacts(db: Queryable, known: readonly KnownFacts[]): Promise<KnownFacts[]> {
  const ids = known.map(({ id }) => id);
  const statuses = known.map(({ status }) => status);
  const codes = known.map(({ hasCode }) => hasCode);
  const { rows } = await sql<KnownFacts>`
    select p.id, p.status, p.copy_and_paste is not null as "hasCode", p.expires_at
    from unnest(${ids}::uuid[], ${statuses}::text[], ${codes}::boolean[]) as known (id, status, has_code)
    join payments p on p.id = known.id
    where p.status <> known.status or (p.copy_and_paste is not null) <> known.has_code`.execute(db);
  return rows;
}
