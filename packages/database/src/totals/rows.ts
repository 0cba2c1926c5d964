import { firstIdOf } from '@payments/domain/identifiers';
import { confirmedStatuses } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';

// An Idempotency-Key may reserve an id for 24 hours before its payment is created, and clocks differ.
const idBeforeMs = (24 * 60 + 5) * 60_000;
const idAfterMs = 5 * 60_000;

const around = (moment: Date, ms: number) => firstIdOf(new Date(moment.getTime() + ms));

/** @returns SQL: whether the payment `p` was created in the range, by the index of ids */
export function isCreatedIn({ since, until }: { since?: Date | undefined; until?: Date | undefined }) {
  const first = since ? sql`p.id >= ${around(since, -idBeforeMs)} and p.created_at >= ${since}` : sql`true`;
  const last = until ? sql`p.id < ${around(until, idAfterMs)} and p.created_at < ${until}` : sql`true`;
  return sql<boolean>`${first} and ${last}`;
}

/** Selects the figures of payments and refunds themselves, in the columns of the kept totals. */
export function figuresOfRows({ since, until }: { since: Date; until: Date }): RawBuilder<unknown> {
  const confirmed = sql.join(confirmedStatuses);
  return sql`
    select day_of(created_at) as day, store_id, status, bank, 1 as created, amount as created_amount, 0 as approved,
      0 as approved_amount, 0 as fee_amount, 0 as received, 0 as refunded_amount, 0 as given_back
    from payments p
    where ${isCreatedIn({ since, until })}
    union all
    select day_of(approved_at), store_id, status, bank, 0, 0, (kept > 0)::int, kept,
      case when kept > 0 then coalesce(fee_amount, 0) else 0 end, received, 0, 0
    from payments, lateral (select case when status in (${confirmed}) then amount else 0 end as kept) kept
    where approved_at >= ${since} and approved_at < ${until}
    union all
    select day_of(made_at), store_id, status, refunds.bank, 0, 0, 0, 0, 0, 0, refunds.amount, coalesce(given_back, 0)
    from refunds left join payments on payments.id = payment_id
    where made_at >= ${since} and made_at < ${until}`;
}
