import { Type } from '@sinclair/typebox';
import { reasonField } from '../author.ts';
import {
  count,
  id,
  integerOrNull,
  oneOf,
  optional,
  pageOf,
  textOrNull,
  time,
  timeOrNull,
} from '../shapes.ts';
import { deliveryStates } from './filter.ts';

const fields = {
  id: id('Identifier of the delivery.'),
  eventId: id('The event; the `webhook-id` of every attempt.'),
  event: Type.String({ description: '`payment.created` or `payment.status_changed`.' }),
  paymentId: id('The payment that it tells of.'),
  storeId: id('The payment’s store.'),
  url: Type.String({ description: 'Where it goes: the payment’s `webhookUrl`.' }),
  state: oneOf(deliveryStates, '`dead`: all attempts failed.'),
  nextAttemptAt: timeOrNull('When it is tried next; null when it is not, or waits for the event before.'),
  lastError: textOrNull('Why the last attempt failed.'),
  createdAt: time('When it was entered.'),
};

const Delivery = Type.Object(
  { ...fields, attempts: count('How often it was tried.') },
  { $id: 'Delivery', description: 'A webhook on its way to a receiver.' },
);

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Its place among the delivery’s attempts.' }),
    startedAt: time('When it began.'),
    durationMs: integerOrNull('How long it took; null where it was cut off.'),
    statusCode: integerOrNull('What the receiver answered; null without an answer.'),
    stage: textOrNull('Where it failed; null for an answer.'),
    error: textOrNull('How it failed; null when it did not.'),
    responseExcerpt: textOrNull('The beginning of the answer’s body.'),
  },
  { $id: 'Attempt', description: 'One attempt to deliver.' },
);

const DeliveryDetail = Type.Object(
  { ...fields, attempts: Type.Array(Type.Ref('Attempt'), { description: 'First to last.' }) },
  { $id: 'DeliveryDetail', description: 'A delivery with its attempts.' },
);

export const RedriveBody = Type.Object(
  {
    storeId: optional(Type.String(), 'Only that store’s; all stores’ where absent.'),
    state: optional(
      Type.Union(deliveryStates.map((one) => Type.Literal(one))),
      'Only deliveries in this state; `dead` where absent.',
    ),
    since: optional(
      Type.String(),
      'Only those created then or later: an ISO 8601 date-time with its offset.',
    ),
    reason: reasonField,
  },
  { $id: 'Redrive', description: 'Which deliveries are to be sent again.' },
);

const Redelivered = Type.Object(
  { redelivered: count('How many fall due; at most 10,000 at once.') },
  { $id: 'Redelivered', description: 'What a redrive did.' },
);

const FailingEndpoint = Type.Object(
  {
    id: id('Identifier of the receiver.'),
    storeId: id('The store whose webhooks it receives.'),
    url: Type.String({ description: 'Without its query.' }),
    phase: oneOf(
      ['closed', 'open'],
      '`closed`: it fails, but not often enough yet. `open`: it gets nothing but a probe now and then.',
    ),
    failures: count('Failures in a row.'),
    failingSince: time('When it began to fail.'),
    openUntil: timeOrNull('When it may be probed with a delivery.'),
    lastError: textOrNull('Why the last attempt failed.'),
  },
  { $id: 'FailingEndpoint', description: 'A receiver that fails now.' },
);

const EndpointList = Type.Object(
  { items: Type.Array(Type.Ref('FailingEndpoint'), { description: 'Longest first, at most a thousand.' }) },
  { $id: 'EndpointList', description: 'The receivers that fail now.' },
);

export const deliverySchemas = [
  Delivery,
  Attempt,
  DeliveryDetail,
  pageOf('Delivery', 'DeliveryList', 'A page of the ledger.'),
  RedriveBody,
  Redelivered,
  FailingEndpoint,
  EndpointList,
];
