import type { Overview } from '@payments/database/backlog';
import { reaisFrom } from '@payments/domain/money';
import { paymentStatuses } from '@payments/domain/status';
import type { AdministrationContext } from '../../context.ts';

/** @returns the overview with every status, 0 included */
export function overviewView(
  { payments, backlog }: Overview,
  { reviewTimeoutSeconds }: Pick<AdministrationContext, 'reviewTimeoutSeconds'>,
) {
  const oldestSince = backlog.reviewsWaitingSince;
  const nextDeadline = oldestSince && new Date(oldestSince.getTime() + reviewTimeoutSeconds * 1_000);
  return {
    payments: Object.fromEntries(paymentStatuses.map((status) => [status, payments[status] ?? 0])),
    reviews: { waiting: payments.review ?? 0, oldestSince, nextDeadline },
    deliveries: { pending: backlog.deliveriesPending, dead: backlog.deliveriesDead },
    refunds: {
      unfinished: backlog.refundsUnfinished,
      owed: backlog.refundsOwed,
      owedAmount: reaisFrom(backlog.refundsOwedAmount),
      toOrderAgain: backlog.refundsToOrderAgain,
      byBank: backlog.bankReturnsUnderWay,
    },
    unmatchedPix: backlog.pixUnmatched,
    chargeProblems: backlog.chargesRefused + backlog.chargesSetAside + backlog.chargesStuck,
    endpoints: { failing: backlog.endpointsFailing, open: backlog.endpointsOpen },
  };
}
