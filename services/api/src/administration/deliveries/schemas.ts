import type { Attempt as StoredAttempt } from '@payments/database/deliveries/record';
import { type DeliveryError, deliveryErrorText } from '@payments/domain/delivery-error';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/actor.ts';
import { rangeQuery } from '../../http/readers.ts';
import {
  count,
  id,
  integerOrNull,
  kindQuery,
  oneOf,
  optional,
  pageOf,
  textOrNull,
  time,
  timeOrNull,
} from '../shapes.ts';
import { deliveryStates } from './actions.ts';

export const deliveryQuery = {
  storeId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this store.' })),
  ...kindQuery,
  paymentId: Type.Optional(Type.String({ format: 'uuid', description: 'Only deliveries of this payment.' })),
  state: Type.Optional(oneOf(deliveryStates, 'Only deliveries in this state.')),
  ...rangeQuery('deliveries created'),
};

const fields = {
  id: id('Identifier of the delivery.'),
  eventId: id('Id of the event, and the `webhook-id` of every attempt.'),
  event: Type.String({ description: '`payment.created` or `payment.status_changed`.' }),
  paymentId: id('The event’s payment.'),
  storeId: id('The payment’s store.'),
  url: Type.String({ description: 'The payment’s `webhookUrl`.' }),
  state: oneOf(deliveryStates, '`dead`: all attempts failed.'),
  nextAttemptAt: timeOrNull(
    'Time of the next attempt. Null if there is none, or if the payment’s previous event goes first.',
  ),
  lastError: textOrNull('Error of the last attempt.'),
  createdAt: time('Time of creation.'),
};

const Delivery = Type.Object(
  { ...fields, attempts: count('Number of attempts.') },
  { $id: 'Delivery', description: 'The delivery of one event to the payment’s receiver.' },
);

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Number of the attempt, from 1.' }),
    startedAt: time('Start of the attempt.'),
    durationMs: integerOrNull('Duration; null if the dispatcher stopped during the attempt.'),
    statusCode: integerOrNull('Status of the receiver’s response; null without a response.'),
    stage: textOrNull('Stage that failed; null if the receiver responded.'),
    error: textOrNull('The error; null for a success.'),
    responseExcerpt: textOrNull('The beginning of the response body.'),
  },
  { $id: 'Attempt', description: 'One attempt to deliver.' },
);

const DeliveryDetail = Type.Object(
  { ...fields, attempts: Type.Array(Type.Ref('Attempt'), { description: 'Attempts, oldest first.' }) },
  { $id: 'DeliveryDetail', description: 'A delivery with its attempts.' },
);

export const RedriveBody = Type.Object(
  {
    storeId: optional(Type.String(), 'Only deliveries of this store; absent means all stores.'),
    state: optional(
      Type.Union(deliveryStates.map((one) => Type.Literal(one))),
      'Only deliveries in this state; absent means `dead`.',
    ),
    since: optional(
      Type.String(),
      'Only deliveries created then or later: an ISO 8601 date-time with offset.',
    ),
    reason: reasonField,
  },
  { $id: 'Redrive', description: 'The deliveries to send again.' },
);

const Redelivered = Type.Object(
  { redelivered: count('Number of rescheduled deliveries, at most 10,000.') },
  { $id: 'Redelivered', description: 'Result of a bulk redelivery.' },
);

const FailingEndpoint = Type.Object(
  {
    id: id('Identifier of the receiver.'),
    storeId: id('The store whose webhooks it receives.'),
    url: Type.String({ description: 'URL without its query.' }),
    phase: oneOf(
      ['closed', 'open'],
      'Circuit of the receiver. `closed`: deliveries continue. `open`: only a probe is sent now and then.',
    ),
    failures: count('Failures in a row.'),
    failingSince: time('Time of the first failure.'),
    openUntil: timeOrNull('Time of the next probe with a delivery.'),
    lastError: textOrNull('Error of the last attempt.'),
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
