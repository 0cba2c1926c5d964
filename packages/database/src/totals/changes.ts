import { approvalFigures } from '@payments/domain/figures';
import { type RawBuilder, sql } from 'kysely';
import type { StoredPayment } from '../payments/payments.ts';
import { columns } from './figures.ts';

/**
 * Parts of statements that change payments or refunds. They append the differences to the totals, which a scan folds
 * into the kept days.
 */

type Appended = RawBuilder<Record<string, never>>;

/** Appends the creations that the surrounding statement has inserted as `payment`. */
export function countCreated(): Appended {
  return sql`(
    insert into total_changes (day, store_id, status, bank, created, created_amount)
    select day_of(created_at), store_id, status, bank, count(*), sum(amount) from payment group by 1, 2, 3, 4)`;
}

/** Appends the difference that the surrounding statement makes to the locked payment that it changes as `payment`. */
export function moveTotals(before: StoredPayment, after: StoredPayment): Appended {
  const own = [...ownFigures(before, -1), ...ownFigures(after, 1)];
  const isMoved = before.status !== after.status;
  return sql`(
    insert into total_changes (${columns})
    select day_of(moment), store_id, own.status, bank, sum(created), sum("createdAmount"), sum(approved),
      sum("approvedAmount"), sum("feeAmount"), sum(received), 0, 0
    from payment, json_to_recordset(${JSON.stringify(own)}) as own (
      moment timestamptz, status text, created int, "createdAmount" bigint, approved int, "approvedAmount" bigint,
      "feeAmount" bigint, received bigint)
    group by 1, 2, 3, 4
    union all
    select day_of(made_at), store_id, step.status, refunds.bank, 0, 0, 0, 0, 0, 0, sum(step.sign * amount),
      sum(step.sign * coalesce(given_back, 0))
    from payment
      join refunds on payment_id = payment.id,
      (values (${before.status}, -1), (${after.status}, 1)) as step (status, sign)
    where made_at is not null and ${isMoved}
    group by 1, 2, 3, 4)`;
}

/** A payment counts on the days of its creation and its approval. */
function ownFigures(payment: StoredPayment, sign: 1 | -1): object[] {
  const { status, amount, createdAt, approvedAt } = payment;
  const { approved, approvedAmount, feeAmount, received } = approvalFigures(payment);
  const approval = {
    approved: sign * approved,
    approvedAmount: sign * approvedAmount,
    feeAmount: sign * feeAmount,
    received: sign * received,
  };
  const none = { created: 0, createdAmount: 0, approved: 0, approvedAmount: 0, feeAmount: 0, received: 0 };
  const creation = { ...none, moment: createdAt, status, created: sign, createdAmount: sign * amount };
  return approvedAt === null ? [creation] : [creation, { ...none, moment: approvedAt, status, ...approval }];
}

/** Moves a creation to the bank that the surrounding statement has given to the payment that it changes as `payment`. */
export function countAtBank(): Appended {
  return sql`(
    insert into total_changes (day, store_id, status, bank, created, created_amount)
    select day_of(created_at), store_id, status, case when sign > 0 then bank end, sign, sign * amount
    from payment, (values (-1), (1)) as step (sign))`;
}

/** Appends the returns that the surrounding statement has made as `refund`. Their payment is locked. */
export function countRefunded(): Appended {
  return sql`(
    insert into total_changes (day, store_id, status, bank, refunded_amount)
    select day_of(made_at), store_id, status, refund.bank, refund.amount
    from refund left join payments on payments.id = payment_id
    where made_at is not null)`;
}

/** Moves the returns of an unmatched Pix, as `refund`, to the payment that the Pix now belongs to. */
export function placeRefunded(): Appended {
  return sql`(
    insert into total_changes (day, store_id, status, bank, refunded_amount)
    select day_of(made_at), case when sign > 0 then store_id end, case when sign > 0 then status end, refund.bank,
      sign * refund.amount
    from refund join payments on payments.id = payment_id, (values (-1), (1)) as step (sign)
    where made_at is not null)`;
}

/** Appends what a return, changed by the surrounding statement as `refund`, took from its payment. */
export function countGivenBack(): Appended {
  return sql`(
    insert into total_changes (day, store_id, status, bank, given_back)
    select day_of(made_at), store_id, status, refund.bank, refund.given_back
    from refund join payments on payments.id = payment_id
    where refund.given_back > 0)`;
}
