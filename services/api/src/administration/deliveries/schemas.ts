import type { Attempt as StoredAttempt } from '@payments/database/deliveries/record';
import { type DeliveryError, deliveryErrorText } from '@payments/domain/delivery-error';
import { eventTypes } from '@payments/domain/events';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/actor.ts';
import { rangeQuery } from '../../http/readers.ts';
import { kindQuery, pageOf, Shape } from '../shapes.ts';
import { deliveryStates } from './actions.ts';

export const deliveryQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this store.' })),
  ...kindQuery,
  paymentId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this payment.' })),
  state: Type.Optional(Shape.oneOf(deliveryStates, 'Only deliveries in this state.')),
  ...rangeQuery('deliveries created'),
};

const fields = {
  id: Shape.id('Identifier of the delivery.'),
  eventId: Shape.id('Id of the event, and the `webhook-id` of every attempt.'),
  event: Type.String({
    description: `The event’s type: ${eventTypes.map((one) => `\`${one}\``).join(', ')}.`,
  }),
  paymentId: Shape.id('The event’s payment.'),
  storeId: Shape.id('The payment’s store.'),
  url: Type.String({ description: 'The payment’s `webhookUrl`.' }),
  state: Shape.oneOf(deliveryStates, '`dead`: all attempts failed.'),
  nextAttemptAt: Shape.timeOrNull(
    'Time of the next attempt. Null if there is none, or if the payment’s previous event goes first.',
  ),
  lastError: Shape.textOrNull('Error of the last attempt.'),
  createdAt: Shape.time('Time of creation.'),
};

const Delivery = Type.Object(
  { ...fields, attempts: Shape.count('Number of attempts.') },
  { $id: 'Delivery', description: 'The delivery of one event to the payment’s receiver.' },
);

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the attempt, from 1.' }),
    startedAt: Shape.time('Start of the attempt.'),
    durationMs: Shape.integerOrNull('Duration; null if the dispatcher stopped during the attempt.'),
    statusCode: Shape.integerOrNull('Status of the receiver’s response; null without a response.'),
    stage: Shape.textOrNull('Stage that failed; null if the receiver responded.'),
    error: Shape.textOrNull('The error; null for a success.'),
    responseExcerpt: Shape.textOrNull('The beginning of the response body.'),
  },
  { $id: 'Attempt', description: 'One attempt to deliver.' },
);

const DeliveryDetail = Type.Object(
  {
    ...fields,
    attempts: Type.Array(Type.Ref('Attempt'), { description: 'The newest 50 attempts, oldest first.' }),
  },
  { $id: 'DeliveryDetail', description: 'A delivery with its attempts.' },
);

export const RedriveBody = Type.Object(
  {
    storeId: Shape.optional(Type.String(), 'Only deliveries of this store; absent means all stores.'),
    state: Shape.optional(
      Type.Union(deliveryStates.map((one) => Type.Literal(one))),
      'Only deliveries in this state; absent means `dead`.',
    ),
    since: Shape.optional(
      Type.String(),
      'Only deliveries created then or later: an ISO 8601 date-time with offset.',
    ),
    reason: reasonField,
  },
  { $id: 'Redrive', description: 'The deliveries to send again.' },
);

const Redelivered = Type.Object(
  { redelivered: Shape.count('Number of rescheduled deliveries, at most 10,000.') },
  { $id: 'Redelivered', description: 'Result of a bulk redelivery.' },
);

const FailingEndpoint = Type.Object(
  {
    id: Shape.id('Identifier of the receiver.'),
    storeId: Shape.id('The store whose webhooks it receives.'),
    url: Type.String({ description: 'URL without its query.' }),
    phase: Shape.oneOf(
      ['closed', 'open'],
      'Circuit of the receiver. `closed`: deliveries continue. `open`: only a probe is sent now and then.',
    ),
    failures: Shape.count('Failures in a row.'),
    failingSince: Shape.time('Time of the first failure.'),
    openUntil: Shape.timeOrNull('Time of the next probe with a delivery.'),
    lastError: Shape.textOrNull('Error of the last attempt.'),
  },
  { $id: 'FailingEndpoint', description: 'A failing receiver.' },
);

const EndpointList = Type.Object(
  {
    items: Type.Array(Type.Ref('FailingEndpoint'), {
      description: 'Longest failing first, at most a thousand.',
    }),
  },
  { $id: 'EndpointList', description: 'The failing receivers.' },
);

const textOf = (error: DeliveryError | null) => error && deliveryErrorText(error);

/** @returns a delivery, or a failing receiver, with its last error in words */
export function inWords<T extends { lastError: DeliveryError | null }>(one: T) {
  return { ...one, lastError: textOf(one.lastError) };
}

/** @returns a delivery and its attempts with their errors in words */
export function deliveryDetail<T extends { lastError: DeliveryError | null; attempts: StoredAttempt[] }>(
  delivery: T,
) {
  const attempts = delivery.attempts.map(({ error, ...attempt }) => ({
    ...attempt,
    stage: error?.stage ?? null,
    error: textOf(error),
  }));
  return { ...inWords(delivery), attempts };
}

export const deliverySchemas = [
  Delivery,
  Attempt,
  DeliveryDetail,
  pageOf('Delivery', 'DeliveryList', 'A page of deliveries.'),
  RedriveBody,
  Redelivered,
  FailingEndpoint,
  EndpointList,
];
