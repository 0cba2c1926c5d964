import type { WaitingReview } from '@payments/database/payments/reviews';
import { reaisFrom } from '@payments/domain/money';
import type { ApiContext } from '../../context.ts';
import { foundView } from '../payments/found-view.ts';

/** @returns a payment in review with its deadline (Contract: review); amounts in reais */
export function reviewView(
  { payment, since, reason, received, returned, refundState }: WaitingReview,
  { now, publicUrl, reviewTimeoutSeconds }: Pick<ApiContext, 'now' | 'publicUrl' | 'reviewTimeoutSeconds'>,
) {
  const deadline = new Date(since.getTime() + reviewTimeoutSeconds * 1_000);
  const msLeft = deadline.getTime() - now().getTime();
  return {
    ...foundView(payment, publicUrl),
    reviewSince: since.toISOString(),
    deadline: deadline.toISOString(),
    secondsLeft: Math.max(0, Math.floor(msLeft / 1_000)),
    reason,
    received: reaisFrom(received),
    approvable: reaisFrom(Math.max(0, received - returned)),
    refundState,
  };
}
