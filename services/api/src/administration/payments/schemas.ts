import type { PixReceived as StoredPix } from '@payments/database/charges/pix-received';
import { isOfStatus } from '@payments/database/payments/history';
import type { StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/actor.ts';
import { rangeQuery } from '../../http/readers.ts';
import { statusQuery } from '../../public/payments/schemas.ts';
import { bankQuery, problemView } from '../banks/schemas.ts';
import { deliveryDetail } from '../deliveries/schemas.ts';
import { changeView } from '../record/schemas.ts';
import { refundView } from '../refunds/schemas.ts';
import { kindQuery, ofTest, pageOf, Shape, testIn } from '../shapes.ts';
import type { PaymentInFull } from './actions.ts';

/** The filters of the search, also of its CSV. */
export const searchQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only payments of this store.' })),
  ...kindQuery,
  status: statusQuery,
  ...bankQuery,
  ...rangeQuery('payments created'),
  q: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'A whole id, txid, endToEndId (of any Pix of the payment) or reference, or a part of the e-mail, the ' +
        'observation or the description.',
    }),
  ),
};

export const StatusBody = Type.Object(
  {
    status: Type.Union(
      paymentStatuses.map((status) => Type.Literal(status)),
      { description: 'The new status.' },
    ),
    reason: reasonField,
  },
  { $id: 'StatusDecision', description: 'An administrator’s decision.' },
);

const bank = Shape.textOrNull('The bank that took the charge; null before one did.');

const FoundPayment = Type.Intersect([Type.Ref('Payment'), Type.Object({ bank, ...ofTest })], {
  $id: 'FoundPayment',
  description: 'A payment and its bank.',
});

const FoundPayments = pageOf('FoundPayment', 'FoundPayments', 'A page of the payments that were found.', {
  totalIsLowerBound: Type.Boolean({ description: 'More payments match than `total` says.' }),
});

const HistoryEntry = Type.Object(
  {
    id: Shape.id('Identifier of the event, and the `webhook-id` of its webhook.'),
    sequence: Type.Integer({ minimum: 1, description: 'Number among the payment’s events, from 1.' }),
    type: Type.String({
      description: '`payment.created`, `payment.status_changed`, `payment.updated` or `refund.updated`.',
    }),
    status: Type.Ref('PaymentStatus'),
    previousStatus: Shape.textOrNull('The payment’s or the refund’s status before; null for what is new.'),
    actor: Type.String({
      description: 'Cause of the event: store, administrator, psp, expiry, review-timeout or refund.',
    }),
    author: Shape.textOrNull('Name that the administrator gave.'),
    reason: Shape.textOrNull('Why: a person’s words, or the rule’s name.'),
    requestId: Shape.textOrNull('Id of the request that caused the event, as in the logs.'),
    occurredAt: Shape.time('Time of the commit.'),
    published: Type.Boolean({ description: 'Whether the event is published on the stream.' }),
  },
  { $id: 'HistoryEntry', description: 'An event of a payment: who or what caused it, when, and why.' },
);

const PixReceived = Type.Object(
  {
    endToEndId: Type.String({ description: 'The Pix’s identifier at all banks.' }),
    bank: Type.String({ description: 'The bank that it arrived at.' }),
    amount: Type.Number({ description: 'Amount of the Pix, in BRL.' }),
    effect: Type.String({
      description:
        'Effect of the Pix: approved, review or refund. `returned`: all of it had gone back before the service saw it.',
    }),
    paidAt: Shape.time('Time of the Pix by the bank’s clock.'),
    receivedAt: Shape.time('When the service saw the Pix.'),
  },
  { $id: 'PixReceived', description: 'A Pix that the bank confirmed for a payment.' },
);

const PaymentDetail = Type.Intersect(
  [
    Type.Ref('Payment'),
    Type.Object({
      charged: Type.Number({ description: 'Amount of the charge, in BRL.' }),
      bank,
      ...ofTest,
      txid: Type.String({ description: 'Identifier of the charge at the bank.' }),
      chargeState: Shape.oneOf(
        ['unregistered', 'registered', 'cancelling', 'closed'],
        'State of the charge at the bank.',
      ),
      expiresAt: Shape.time('Expiry of the charge.'),
      reviewSince: Shape.timeOrNull('When the review began; null if the payment is not in review.'),
      events: Type.Array(Type.Ref('HistoryEntry'), {
        description: 'The creation and the changes of status, oldest first.',
      }),
      updates: Type.Array(Type.Ref('HistoryEntry'), {
        description:
          'The events of what else changed, the refunds’ among them, oldest first. `sequence` counts both together.',
      }),
      pix: Type.Array(Type.Ref('PixReceived'), { description: 'Received Pix, oldest first.' }),
      refunds: Type.Array(Type.Ref('Refund'), { description: 'Refunds, oldest first.' }),
      changes: Type.Array(Type.Ref('Change'), { description: 'Administrators’ changes, oldest first.' }),
      problems: Type.Array(Type.Ref('ChargeProblem'), {
        description: 'Work on the charge that keeps failing; without `error` for a store’s roles.',
      }),
      deliveries: Type.Array(Type.Ref('DeliveryDetail'), {
        description: 'Webhook deliveries, oldest first.',
      }),
    }),
  ],
  { $id: 'PaymentDetail', description: 'A payment with its events, Pix, refunds, changes and deliveries.' },
);

const Review = Type.Intersect(
  [
    Type.Ref('Payment'),
    Type.Object({
      bank,
      ...ofTest,
      reviewSince: Shape.time('When the review began.'),
      deadline: Shape.time('When the review times out and the money is refunded.'),
      secondsLeft: Shape.count('Seconds until the deadline; 0 after it.'),
      reason: Shape.textOrNull('Reason of the review: amount_differs, review_above, late or cancelled.'),
      received: Type.Number({ description: 'Amount received, in BRL.' }),
      approvable: Type.Number({ description: 'Amount of the payment after an approval, in BRL.' }),
      refundState: Shape.textOrNull(
        'State of the refund that the time-out ordered; null before the time-out.',
      ),
    }),
  ],
  { $id: 'Review', description: 'A payment that waits for a decision.' },
);

export const paymentSchemas = [
  StatusBody,
  FoundPayment,
  FoundPayments,
  HistoryEntry,
  PixReceived,
  PaymentDetail,
  Review,
  pageOf('Review', 'ReviewList', 'A page of the payments in review.'),
];

/** @returns a payment as a search shows it, with its bank */
export function foundView(payment: StoredPayment, publicUrl: string) {
  return { ...paymentReadView(payment, publicUrl), bank: payment.bank, ...testIn(payment) };
}

/** @returns a payment in full as the admin API shows it; amounts in reais */
export function paymentDetail(
  { payment, history, pix, refunds, changes, problems, deliveries }: PaymentInFull,
  publicUrl: string,
) {
  return {
    ...paymentReadView(payment, publicUrl),
    charged: reaisFrom(payment.charged),
    bank: payment.bank,
    ...testIn(payment),
    txid: txidOf(payment.id),
    chargeState: payment.chargeState,
    expiresAt: payment.expiresAt,
    reviewSince: payment.reviewSince,
    events: history.filter(isOfStatus),
    updates: history.filter((event) => !isOfStatus(event)),
    pix: pix.map(pixView),
    refunds: refunds.map(refundView),
    changes: changes.map(changeView),
    problems: problems.map(problemView),
    deliveries: deliveries.map(deliveryDetail),
  };
}

function pixView({ counts: _, amount, ...pix }: StoredPix) {
  return { ...pix, amount: reaisFrom(amount) };
}
