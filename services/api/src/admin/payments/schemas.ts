import { paymentStatuses } from '@payments/domain/status';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../author.ts';
import { count, id, oneOf, pageOf, textOrNull, time, timeOrNull } from '../shapes.ts';

export const StatusBody = Type.Object(
  {
    status: Type.Union(
      paymentStatuses.map((status) => Type.Literal(status)),
      { description: 'Where to move the payment.' },
    ),
    reason: reasonField,
  },
  { $id: 'StatusDecision', description: 'What an administrator decides.' },
);

const FoundPayments = pageOf('Payment', 'FoundPayments', 'A page of the payments that were found.', {
  totalIsLowerBound: Type.Boolean({ description: 'There are more than `total`; they were not counted.' }),
});

const HistoryEntry = Type.Object(
  {
    id: id('Identifier of the event; its webhook’s `webhook-id`.'),
    sequence: Type.Integer({ minimum: 1, description: 'Its place among the payment’s events.' }),
    type: Type.String({ description: '`payment.created` or `payment.status_changed`.' }),
    status: Type.Ref('PaymentStatus'),
    previousStatus: Type.Union([Type.Ref('PaymentStatus'), Type.Null()], {
      description: 'The status before; null for the first.',
    }),
    actor: Type.String({ description: 'store, administrator, psp, expiry, review-timeout or refund.' }),
    author: textOrNull('The administrator who did it, by their own account.'),
    reason: textOrNull('Why: a person’s words, or the rule’s name.'),
    requestId: textOrNull('The request that led to it, as in the logs.'),
    occurredAt: time('When it was committed.'),
    published: Type.Boolean({ description: 'Whether it was handed to the stream.' }),
  },
  { $id: 'HistoryEntry', description: 'One event of a payment: who or what did it, when and why.' },
);

const PixReceived = Type.Object(
  {
    endToEndId: Type.String({ description: 'The Pix’s identifier in the whole system.' }),
    amount: Type.Number({ description: 'What was paid, in BRL.' }),
    effect: Type.String({
      description:
        'What it did: approved, review or refund; returned, where all of it had gone back before it was seen.',
    }),
    paidAt: time('When the customer paid, by the bank’s clock.'),
    receivedAt: time('When the service learned of it.'),
  },
  { $id: 'PixReceived', description: 'A Pix that the bank confirmed for a payment.' },
);

const PaymentDetail = Type.Intersect(
  [
    Type.Ref('Payment'),
    Type.Object({
      charged: Type.Number({ description: 'What the customer was asked for, in BRL.' }),
      txid: Type.String({ description: 'Identifier of the charge at the bank.' }),
      chargeState: oneOf(
        ['unregistered', 'registered', 'cancelling', 'closed'],
        'How far the charge is at the bank.',
      ),
      expiresAt: time('When the charge can’t be paid any more.'),
      reviewSince: timeOrNull('Since when it has been in review; null while it is not.'),
      events: Type.Array(Type.Ref('HistoryEntry'), { description: 'Its events, first to last.' }),
      pix: Type.Array(Type.Ref('PixReceived'), { description: 'What was received, first to last.' }),
      refunds: Type.Array(Type.Ref('Refund'), { description: 'What goes back, first to last.' }),
      changes: Type.Array(Type.Ref('Change'), { description: 'What administrators did, first to last.' }),
      problems: Type.Array(Type.Ref('ChargeProblem'), {
        description: 'Work on its charge that keeps failing.',
      }),
      deliveries: Type.Array(Type.Ref('DeliveryDetail'), { description: 'Its webhooks, first to last.' }),
    }),
  ],
  { $id: 'PaymentDetail', description: 'A payment with everything that is known of it.' },
);

const Review = Type.Intersect(
  [
    Type.Ref('Payment'),
    Type.Object({
      reviewSince: time('Since when it has waited.'),
      deadline: time('What is in review then is refunded.'),
      secondsLeft: count('Until the deadline; 0 once it has passed.'),
      reason: textOrNull('Why it is in review: amount_differs, review_above, late or cancelled.'),
      received: Type.Number({ description: 'What has been received, in BRL.' }),
      approvable: Type.Number({ description: 'What it is worth once it is approved, in BRL.' }),
      refundState: textOrNull('What became of the refund that its time-out ordered; null for none yet.'),
    }),
  ],
  { $id: 'Review', description: 'A payment that waits for a decision.' },
);

export const paymentSchemas = [
  StatusBody,
  FoundPayments,
  HistoryEntry,
  PixReceived,
  PaymentDetail,
  Review,
  pageOf('Review', 'ReviewList', 'A page of the payments in review.'),
];
