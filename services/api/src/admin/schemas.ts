import { changeActions } from '@payments/database/changes';
import { paymentStatuses } from '@payments/domain/status';
import { type TSchema, Type } from '@sinclair/typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const nullable = { type: ['string', 'null'] };
const time = Type.String({ format: 'date-time' });

export const Store = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    active: Type.Boolean(),
    feePercent: orNull(Type.Number({ description: 'Percentage of the amount, at most four decimals.' })),
    feeFixed: orNull(Type.Number({ description: 'BRL per payment.' })),
    maxAmount: Type.Number({ description: 'Highest amount of one payment, BRL.' }),
    reviewAbove: orNull(Type.Number({ description: 'A Pix that reaches this amount waits in review, BRL.' })),
    createdAt: time,
  },
  { $id: 'Store' },
);

export const Token = Type.Object(
  {
    id: Type.String(),
    createdAt: time,
    expiresAt: orNull(time),
    deactivatedAt: orNull(time),
    supersededAt: orNull(time),
    lastUsedAt: orNull(
      Type.String({
        format: 'date-time',
        description: 'The last request that it opened, to about ten seconds.',
      }),
    ),
  },
  { $id: 'Token', description: 'A token without its secret.' },
);

const deliveryFields = {
  id: Type.String(),
  eventId: Type.String({ description: 'The `webhook-id` of every attempt.' }),
  event: Type.String(),
  paymentId: Type.String(),
  storeId: Type.String(),
  url: Type.String(),
  state: Type.String({ enum: ['pending', 'delivered', 'dead'] }),
  nextAttemptAt: orNull(time),
  lastError: Type.Unsafe<string | null>(nullable),
  createdAt: time,
};

export const Delivery = Type.Object({ ...deliveryFields, attempts: Type.Integer() }, { $id: 'Delivery' });

export const Attempt = Type.Object(
  {
    number: Type.Integer(),
    startedAt: time,
    durationMs: orNull(Type.Integer()),
    statusCode: orNull(Type.Integer()),
    stage: Type.Unsafe<string | null>({ ...nullable, description: 'Where it failed, null for an answer.' }),
    error: Type.Unsafe<string | null>(nullable),
    responseExcerpt: Type.Unsafe<string | null>(nullable),
  },
  { $id: 'Attempt' },
);

export const DeliveryDetail = Type.Object(
  { ...deliveryFields, attempts: Type.Array(Type.Ref('Attempt')) },
  { $id: 'DeliveryDetail' },
);

export const DeliveryList = Type.Object(
  {
    items: Type.Array(Type.Ref('Delivery')),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
  },
  { $id: 'DeliveryList' },
);

export const FailingEndpoint = Type.Object(
  {
    id: Type.String(),
    storeId: Type.String(),
    url: Type.String(),
    phase: Type.String({
      description: 'closed: it fails, but not often enough yet. open: left alone. half-open: probed.',
    }),
    failures: Type.Integer({ description: 'In a row.' }),
    failingSince: time,
    openUntil: orNull(time),
    lastError: Type.Unsafe<string | null>(nullable),
  },
  { $id: 'FailingEndpoint' },
);

const refundFields = {
  id: Type.String(),
  endToEndId: Type.String({ description: 'Of the Pix that goes back.' }),
  paymentId: Type.String(),
  amount: Type.Number({ description: 'BRL.' }),
  origin: Type.String({ description: 'service, or bank for a refund that the bank started.' }),
  reason: Type.String({ description: 'second_pix, rejected, review_timeout, or what the bank says.' }),
  state: Type.String({ enum: ['requested', 'processing', 'refunded', 'failed'] }),
  rtrId: Type.Unsafe<string | null>(nullable),
  tries: Type.Integer({ description: 'How often the bank was asked.' }),
  lastError: Type.Unsafe<string | null>({ ...nullable, description: 'What the bank said against it.' }),
  replaces: Type.Unsafe<string | null>({
    ...nullable,
    description: 'The refused refund that this one was ordered instead of.',
  }),
  createdAt: time,
  updatedAt: time,
};

export const Refund = Type.Object(refundFields, { $id: 'Refund', description: 'A devolução.' });

export const RefundList = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        ...refundFields,
        storeId: Type.String(),
        isOwed: Type.Boolean({ description: 'Refused by the bank, still owed, and not ordered anew.' }),
      }),
    ),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
  },
  { $id: 'RefundList' },
);

export const FoundPayments = Type.Object(
  {
    items: Type.Array(Type.Ref('Payment')),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
    totalIsLowerBound: Type.Boolean({ description: 'There are more than `total`; they were not counted.' }),
  },
  { $id: 'FoundPayments' },
);

export const Review = Type.Intersect(
  [
    Type.Ref('Payment'),
    Type.Object({
      reviewSince: time,
      deadline: Type.String({ format: 'date-time', description: 'What is in review then is refunded.' }),
      secondsLeft: Type.Integer({ description: 'Until the deadline; 0 once it has passed.' }),
      reason: Type.Unsafe<string | null>({
        ...nullable,
        description: 'Why it is in review: amount_differs, review_above or late.',
      }),
      received: Type.Number({ description: 'What has been received, BRL.' }),
      refundState: Type.Unsafe<string | null>({
        ...nullable,
        description: 'What became of the refund that its time-out ordered; null while there is none.',
      }),
    }),
  ],
  { $id: 'Review' },
);

export const ReviewList = Type.Object(
  {
    items: Type.Array(Type.Ref('Review')),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
  },
  { $id: 'ReviewList' },
);

const count = Type.Integer({ minimum: 0 });

export const Overview = Type.Object(
  {
    payments: Type.Object(Object.fromEntries(paymentStatuses.map((status) => [status, count])), {
      description: 'Payments of all stores by status.',
    }),
    reviews: Type.Object({ waiting: count, oldestSince: orNull(time), nextDeadline: orNull(time) }),
    deliveries: Type.Object({ pending: count, dead: count }, { description: 'Counted up to 10,000 each.' }),
    refunds: Type.Object(
      { unfinished: count, owed: count },
      { description: 'owed: refused by the bank, and waiting for a person to order them anew.' },
    ),
    endpoints: Type.Object(
      { failing: count, parked: count },
      { description: 'Receivers that fail now, and those of them that are left alone for a while.' },
    ),
  },
  { $id: 'Overview' },
);

const values = orNull(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
);

export const Change = Type.Object(
  {
    id: Type.Integer(),
    at: time,
    action: Type.String({ enum: [...changeActions] }),
    storeId: orNull(Type.String()),
    paymentId: orNull(Type.String()),
    subject: Type.Unsafe<string | null>({
      ...nullable,
      description: 'The id of the token, delivery, Pix or endpoint that it is about.',
    }),
    from: values,
    to: values,
    author: Type.Unsafe<string | null>({
      ...nullable,
      description: 'Who did it, by their own account (`X-Actor`): the key is shared.',
    }),
    via: Type.String({ enum: ['api', 'panel'] }),
    reason: Type.Unsafe<string | null>(nullable),
    requestId: Type.Unsafe<string | null>(nullable),
  },
  { $id: 'Change', description: 'What an administrator changed. Never a secret.' },
);

export const ChangeList = Type.Object(
  {
    items: Type.Array(Type.Ref('Change')),
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer(),
  },
  { $id: 'ChangeList' },
);

const paymentDetailFields = {
  txid: Type.String(),
  chargeState: Type.String(),
  expiresAt: time,
  reviewSince: orNull(time),
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      sequence: Type.Integer(),
      type: Type.String(),
      status: Type.Ref('PaymentStatus'),
      previousStatus: orNull(Type.Ref('PaymentStatus')),
      actor: Type.String({ description: 'store, administrator, psp, expiry or review-timeout.' }),
      author: Type.Unsafe<string | null>({
        ...nullable,
        description: 'The administrator, by their own account.',
      }),
      reason: Type.Unsafe<string | null>(nullable),
      requestId: Type.Unsafe<string | null>(nullable),
      occurredAt: time,
      publishedAt: orNull(time),
    }),
  ),
  pix: Type.Array(
    Type.Object({
      endToEndId: Type.String(),
      amount: Type.Number(),
      effect: Type.String({ description: 'What it did: approved, review or refund.' }),
      paidAt: time,
      receivedAt: time,
    }),
  ),
  refunds: Type.Array(Type.Ref('Refund')),
  changes: Type.Array(Type.Ref('Change'), { description: 'What administrators did, first to last.' }),
  deliveries: Type.Array(Type.Ref('DeliveryDetail')),
};

export const PaymentDetail = Type.Intersect([Type.Ref('Payment'), Type.Object(paymentDetailFields)], {
  $id: 'PaymentDetail',
});

export const adminSchemas = [
  Store,
  Token,
  Delivery,
  Attempt,
  DeliveryDetail,
  DeliveryList,
  FailingEndpoint,
  Refund,
  RefundList,
  FoundPayments,
  Review,
  ReviewList,
  Overview,
  Change,
  ChangeList,
  PaymentDetail,
];
