import type { PaymentStatus } from '@payments/domain/status';
import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import { countRefundsOwed } from './refunds-not-made.ts';

/** How things stand, for those who run the service. */
export type Overview = {
  payments: Partial<Record<PaymentStatus, number>>;
  oldestReviewSince: Date | null;
  /** Each counted up to `countedAtMost`. */
  deliveries: { pending: number; dead: number };
  refunds: { unfinished: number; owed: number };
  endpoints: { failing: number; open: number };
};

/** Figures that may be large are counted no further than this. */
export const countedAtMost = 10_000;

export async function readOverview(db: Queryable): Promise<Overview> {
  const payments = await db
    .selectFrom('payment_counts')
    .select((eb) => ['status', eb.fn.sum<string>('payments').as('total')])
    .groupBy('status')
    .execute();
  const { rows } = await sql<Figures>`
    select (select min(review_since) from payments where review_since is not null) as "oldestReviewSince",
      (select count(*) from (select from deliveries where state = 'pending' limit ${countedAtMost}::int) d) as pending,
      (select count(*) from (select from deliveries where state = 'dead' limit ${countedAtMost}::int) d) as dead,
      (select count(*) from refunds where state in ('requested', 'processing')) as unfinished,
      (select count(*) from failing_endpoints) as failing,
      (select count(*) from failing_endpoints where phase <> 'closed') as open`.execute(db);
  const { oldestReviewSince, pending, dead, unfinished, failing, open } = rows[0]!;
  return {
    payments: Object.fromEntries(payments.map(({ status, total }) => [status, Number(total)])),
    oldestReviewSince,
    deliveries: { pending, dead },
    refunds: { unfinished, owed: await countRefundsOwed(db) },
    endpoints: { failing, open },
  };
}

type Figures = {
  oldestReviewSince: Date | null;
  pending: number;
  dead: number;
  unfinished: number;
  failing: number;
  open: number;
};
