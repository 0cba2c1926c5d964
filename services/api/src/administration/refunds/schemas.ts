import type { WaitingReview } from '@payments/database/payments/reviews';
import type { Refund as StoredRefund } from '@payments/database/refunds/refunds';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { pageOf, Shape, testIn } from '../shapes.ts';
import { reasonOfRefund, refundErrorText } from './actions.ts';

export const RefundBody = Type.Object(
  {
    amount: Shape.optional(
      Type.Number({ minimum: 0.01 }),
      'Amount to refund, in BRL, as a whole or not at all; absent means all that is left, also if that becomes less.',
    ),
    reason: reasonField,
  },
  { $id: 'RefundOrder', description: 'A refund to order.' },
);

const Refund = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the refund at the bank.' }),
    endToEndId: Type.String({ description: 'endToEndId of the refunded Pix.' }),
    bank: Type.String({ description: 'The bank of the Pix, which makes the refund.' }),
    paymentId: Shape.idOrNull('The payment of the Pix; null for an unmatched Pix.'),
    amount: Type.Number({ description: 'Amount of the refund, in BRL.' }),
    origin: Shape.oneOf(['service', 'bank'], '`bank`: the bank started the refund.'),
    reason: Type.String({
      description:
        'second_pix, rejected, review_timeout, administrator or store, or the words of who ordered it. For a return at the bank, its `natureza`; `bank` while the bank does not tell the origin.',
    }),
    state: Shape.oneOf(
      ['requested', 'processing', 'refunded', 'failed'],
      '`failed`: the bank refused it, or it could not be ordered.',
    ),
    rtrId: Shape.textOrNull('The refund’s identifier at all banks; null until the bank gives one.'),
    tries: Shape.count('Number of requests to the bank.'),
    lastError: Shape.textOrNull(
      'Why it is not made yet, or has failed: the bank’s reason, or the service’s.',
    ),
    replaces: Shape.textOrNull('The refused refund that this one replaces.'),
    orderAgainAt: Shape.timeOrNull('When the service orders the refused refund anew.'),
    isOwed: Type.Boolean({
      description:
        'The service orders it no more: the bank refused every order, or the 90 days of the Pix are over. A person must act.',
    }),
    owedAmount: Shape.numberOrNull('Amount owed to the payer, in BRL.'),
    createdAt: Shape.time('Time of the order.'),
    updatedAt: Shape.time('Time of the last change.'),
  },
  { $id: 'Refund', description: 'A refund of a Pix (devolução).' },
);

const RefundNotMade = Type.Intersect(
  [
    Type.Ref('Refund'),
    Type.Object({
      storeId: Shape.idOrNull('The store of the Pix; null for an unmatched Pix.'),
    }),
  ],
  { $id: 'RefundNotMade', description: 'An unfinished or failed refund.' },
);

export const refundSchemas = [
  RefundBody,
  Refund,
  RefundNotMade,
  pageOf('RefundNotMade', 'RefundList', 'A page of the refunds that have not been made.'),
];

/** @returns a refund as the admin API shows it; amounts in reais */
export function refundView(refund: StoredRefund) {
  return {
    id: refund.id,
    endToEndId: refund.endToEndId,
    bank: refund.bank,
    paymentId: refund.paymentId,
    amount: reaisFrom(refund.amount),
    origin: refund.origin,
    reason: reasonOfRefund(refund),
    state: refund.state,
    rtrId: refund.rtrId,
    tries: refund.tries,
    lastError: refund.lastError && refundErrorText(refund.lastError),
    replaces: refund.replaces,
    orderAgainAt: refund.orderAgainAt,
    isOwed: refund.owed !== null,
    owedAmount: refund.owed === null ? null : reaisFrom(refund.owed),
    createdAt: refund.createdAt,
    updatedAt: refund.updatedAt,
  };
}

type Reviewing = Pick<AdministrationContext, 'now' | 'publicUrl' | 'reviewTimeoutSeconds'>;

/** @returns a payment in review with its deadline (Contract: review); amounts in reais */
export function reviewView(review: WaitingReview, { now, publicUrl, reviewTimeoutSeconds }: Reviewing) {
  const { bank, reviewSince, reason, paid, returned, refundState } = review;
  const deadline = new Date(reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  const msLeft = deadline.getTime() - now().getTime();
  return {
    ...paymentReadView(review, publicUrl),
    bank,
    ...testIn(review),
    reviewSince: reviewSince.toISOString(),
    deadline: deadline.toISOString(),
    secondsLeft: Math.max(0, Math.floor(msLeft / 1_000)),
    reason,
    received: reaisFrom(paid),
    approvable: reaisFrom(Math.max(0, paid - returned)),
    refundState,
  };
}
