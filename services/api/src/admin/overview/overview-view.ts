import type { Overview } from '@payments/database/operations/overview';
import { reaisFrom } from '@payments/domain/money';
import { paymentStatuses } from '@payments/domain/status';
import type { ApiContext } from '../../context.ts';

/** @returns the overview with every status, 0 included */
export function overviewView(
  { payments, oldestReviewSince, refunds, ...rest }: Overview,
  { reviewTimeoutSeconds }: Pick<ApiContext, 'reviewTimeoutSeconds'>,
) {
  const nextDeadline =
    oldestReviewSince && new Date(oldestReviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  return {
    payments: Object.fromEntries(paymentStatuses.map((status) => [status, payments[status] ?? 0])),
    reviews: { waiting: payments.review ?? 0, oldestSince: oldestReviewSince, nextDeadline },
    refunds: { ...refunds, owedAmount: reaisFrom(refunds.owedAmount) },
    ...rest,
  };
}
