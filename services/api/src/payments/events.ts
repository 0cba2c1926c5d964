import { type TSchema, Type } from '@sinclair/typebox';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Example } from '../docs/answers.ts';
import { eventExamples } from './examples.ts';
import { createdFields } from './schemas.ts';

/** The events that webhooks carry (Contract: webhook body), as the OpenAPI document tells of them. */

const eventField = (event: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [event], description: 'What happened.' });

export const PaymentCreatedEvent = Type.Object(
  { event: eventField('payment.created'), ...createdFields },
  { $id: 'PaymentCreatedEvent', description: 'The payment as its creation answered it.' },
);

export const PaymentStatusChangedEvent = Type.Object(
  {
    event: eventField('payment.status_changed'),
    ...createdFields,
    previousStatus: Type.Ref('PaymentStatus'),
  },
  { $id: 'PaymentStatusChangedEvent', description: 'The payment after the change; `status` is the new one.' },
);

export const eventSchemas: TSchema[] = [PaymentCreatedEvent, PaymentStatusChangedEvent];

const parameter = (name: string, description: string, pattern: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' as const, pattern },
  example,
});

const signatureHeaders = [
  parameter(
    'webhook-id',
    'Id of the event, the same at every attempt: drop what was seen before.',
    '^[0-9a-f-]{36}$',
    '0199f3a5-0e7a-7e91-a0c6-51d2b7f48e3c',
  ),
  parameter(
    'webhook-timestamp',
    'When this attempt was made: Unix time in seconds. Refuse what is older than five minutes.',
    '^\\d{10,}$',
    '1772460481',
  ),
  parameter(
    'webhook-signature',
    'One or more signatures separated by spaces, each `v1,` and the base64 of the HMAC-SHA256 of ' +
      '`{webhook-id}.{webhook-timestamp}.{body}` under the store’s secret (what follows `whsec_`, base64-decoded). ' +
      'While a secret is being replaced there are two; any that matches will do.',
    '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

const answers = {
  '2XX': { description: 'Delivered. Answer at once and work afterwards; the body is not read.' },
  '410': { description: 'The receiver is gone: this delivery is not tried again.' },
  default: {
    description:
      'Not delivered, as is no answer within 15 seconds and any redirect. It is tried again, unless configured otherwise, after 5 s, 30 s, 2 min, ' +
      '10 min, 30 min, 1 h, 2 h, 4 h, 8 h, 12 h, 24 h and 24 h; a `Retry-After` is honoured, up to twice the pause.',
  },
};

type Webhook = { operationId: string; summary: string; description: string; schema: string };

const webhook = (
  { schema, ...operation }: Webhook,
  examples: Record<string, Example>,
): OpenAPIV3_1.PathItemObject => ({
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

const { created, ...changed } = eventExamples;

/** The `webhooks` of the document: sent only for payments created with a `webhookUrl`. */
export const webhooks = {
  'payment.created': webhook(
    {
      operationId: 'paymentCreated',
      summary: 'A payment was created',
      description: 'Sent to `webhookUrl` immediately after the payment was created.',
      schema: 'PaymentCreatedEvent',
    },
    { created },
  ),
  'payment.status_changed': webhook(
    {
      operationId: 'paymentStatusChanged',
      summary: 'The status of a payment changed',
      description:
        'Sent to `webhookUrl` at every change of the status. The first attempt of an event follows the first attempt ' +
        'of the payment’s event before it; after failures, events may arrive in another order. `amount` is as it was at ' +
        'the change. A payment of which everything was given back becomes `not_approved`, with `previousStatus` ' +
        '`approved` or `paid`; a partial refund changes no status and sends no event.',
      schema: 'PaymentStatusChangedEvent',
    },
    changed,
  ),
};
