import { type TSchema, Type } from '@sinclair/typebox';
import type { Example } from '../../http/answers.ts';
import { eventExamples } from '../payments/examples.ts';
import { createdFields } from '../payments/schemas.ts';

/** The OpenAPI description of webhook events (Contract: webhook body). */

const eventField = (event: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [event], description: 'The kind of event.' });

export const PaymentCreatedEvent = Type.Object(
  { event: eventField('payment.created'), ...createdFields },
  { $id: 'PaymentCreatedEvent', description: 'The payment as in the response to its creation.' },
);

export const PaymentStatusChangedEvent = Type.Object(
  {
    event: eventField('payment.status_changed'),
    ...createdFields,
    previousStatus: Type.Ref('PaymentStatus'),
  },
  {
    $id: 'PaymentStatusChangedEvent',
    description: 'The payment after the change. `status` is the new status.',
  },
);

export const PaymentUpdatedEvent = Type.Object(
  {
    event: eventField('payment.updated'),
    ...createdFields,
    previous: Type.Partial(Type.Object(createdFields), {
      description: 'What the changed fields were: `amount` with its fees, or `qrCodeUrl` and `qrCopyPaste`.',
    }),
  },
  {
    $id: 'PaymentUpdatedEvent',
    description: 'The payment after something of it changed without its status.',
  },
);

export const RefundUpdatedEvent = Type.Object(
  {
    event: eventField('refund.updated'),
    refund: Type.Ref('Refund'),
    previousStatus: Type.Optional(
      Type.String({ description: 'The refund’s status before. Absent for a new refund.' }),
    ),
  },
  { $id: 'RefundUpdatedEvent', description: 'A refund of a payment after it changed: ours or the bank’s.' },
);

export const eventSchemas: TSchema[] = [
  PaymentCreatedEvent,
  PaymentStatusChangedEvent,
  PaymentUpdatedEvent,
  RefundUpdatedEvent,
];

const parameter = (name: string, description: string, pattern: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' as const, pattern },
  example,
});

const signatureHeaders = [
  parameter(
    'webhook-id',
    'Id of the event, the same for every attempt. Ignore an id that you have already handled.',
    '^[0-9a-f-]{36}$',
    '0199f3a5-0e7a-7e91-a0c6-51d2b7f48e3c',
  ),
  parameter(
    'webhook-timestamp',
    'Unix time of this attempt, in seconds. Refuse a webhook that is older than five minutes.',
    '^\\d{10,}$',
    '1772460481',
  ),
  parameter(
    'webhook-signature',
    'One or more signatures separated by spaces, each `v1,` and the base64 of the HMAC-SHA256 of ' +
      '`{webhook-id}.{webhook-timestamp}.{body}` under the store’s secret (what follows `whsec_`, base64-decoded). ' +
      'For 24 hours after a rotation of the secret there are two. Accept either.',
    '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const answers = {
  '2XX': {
    description: 'Delivered. Respond first and process the event afterwards. The service ignores the body.',
  },
  '410': { description: 'Ends this delivery: the service does not retry it.' },
  default: {
    description:
      'Not delivered. A redirect or no response within 15 seconds counts the same. By default the service retries ' +
      'after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, 12 h, 24 h and 24 h. `Retry-After` can ' +
      'lengthen a pause by up to two hours.',
  },
};

type Webhook = { operationId: string; summary: string; description: string; schema: string };

const webhook = ({ schema, ...operation }: Webhook, examples: Record<string, Example>) => ({
  post: {
    ...operation,
    tags: ['Webhooks'],
    security: [],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, examples } },
    },
    responses: answers,
  },
});

const { created, approved, review, updated, refunded } = eventExamples;

/** The document's `webhooks`. Only payments with a `webhookUrl` send them. */
export const webhooks = {
  'payment.created': webhook(
    {
      operationId: 'paymentCreated',
      summary: 'A payment was created',
      description: 'The service sends this to `webhookUrl` immediately after creating the payment.',
      schema: 'PaymentCreatedEvent',
    },
    { created },
  ),
  'payment.status_changed': webhook(
    {
      operationId: 'paymentStatusChanged',
      summary: 'The status of a payment changed',
      description:
        'The service sends this to `webhookUrl` at every change of the status. First attempts follow the order of the ' +
        'payment’s events; after failures, events may arrive in another order. `amount` is the amount at the change. ' +
        'After a full refund the payment becomes `not_approved`, with `previousStatus` `approved` or `paid`. A partial ' +
        'refund changes no status: `payment.updated` and `refund.updated` tell it.',
      schema: 'PaymentStatusChangedEvent',
    },
    { approved, review },
  ),
  'payment.updated': webhook(
    {
      operationId: 'paymentUpdated',
      summary: 'Something of a payment changed without its status',
      description:
        'Only for stores that ask for it (`events` of the store). A part of the money went back, or the code came late.',
      schema: 'PaymentUpdatedEvent',
    },
    { updated },
  ),
  'refund.updated': webhook(
    {
      operationId: 'refundUpdated',
      summary: 'A refund changed',
      description:
        'Only for stores that ask for it (`events` of the store). A refund, by the service or by the bank (MED), was ' +
        'ordered, is in process, was made or was refused.',
      schema: 'RefundUpdatedEvent',
    },
    { refunded },
  ),
};
