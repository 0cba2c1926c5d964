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

/** What was received for a payment, and what of it went back; centavos. */
export type PayersMoney = { received: number; returned: number };

/** @returns the money of a payment by what its payer sent, which its amount is not once some of it went back */
export async function readPayersMoney(db: Queryable, paymentId: string): Promise<PayersMoney> {
  const { rows } = await sql<PayersMoney>`
    select coalesce(sum(pix.amount), 0)::bigint as received, coalesce(sum(made.amount), 0)::bigint as returned
    from pix_received pix left join lateral (
      select sum(amount)::bigint as amount from refunds r
      where r.end_to_end_id = pix.end_to_end_id and r.state = 'refunded'
    ) made on true
    where pix.payment_id = ${paymentId} and pix.effect in ('approved', 'review')`.execute(db);
  return rows[0]!;
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
