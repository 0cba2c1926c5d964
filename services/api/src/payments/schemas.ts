import { paymentStatuses, type PaymentStatus as Status } from '@payments/domain/status';
import { type SchemaOptions, Type } from '@sinclair/typebox';

export { errorAnswersOf } from '../docs/answers.ts';

/** The shapes of payments (Contract: payment), as the OpenAPI document names them. Requests are judged by `new-payment.ts`. */

// A type list rather than anyOf: the serialiser need not try the branches one after another.
const nullable = <T extends 'string' | 'number'>(type: T, keywords: SchemaOptions) =>
  Type.Unsafe<(T extends 'string' ? string : number) | null>({ ...keywords, type: [type, 'null'] });

const statusMeanings: Record<Status, string> = {
  pending: 'Waiting for payment or processing. Every payment starts here.',
  approved:
    'Paid and approved: the value in `amount` is confirmed and available. Only this status means so. Compare `amount` ' +
    'with what was charged before you deliver.',
  review: 'Under analysis; not an approval. After 30 minutes what was paid is refunded.',
  not_approved:
    'Not approved: an error, a cancellation or an expiration; or all of it was given back. A Pix that was paid in time ' +
    'and seen late still approves it.',
  paid: 'Consolidated. Internal use.',
  withdrawal_processing: 'The withdrawal is being processed. Internal use.',
  receipt_sent: 'The receipt was sent. Internal use.',
  rejected: 'Rejected. Internal use.',
};

export const PaymentStatus = Type.Unsafe<Status>({
  $id: 'PaymentStatus',
  type: 'string',
  enum: paymentStatuses,
  description: `Where a payment stands:\n\n${paymentStatuses
    .map((status) => `- \`${status}\`: ${statusMeanings[status]}`)
    .join('\n')}`,
  // Shown beside each value by tools that know it.
  'x-enumDescriptions': statusMeanings,
});

export const paymentId = Type.String({
  format: 'uuid',
  description: 'Payment identifier: a UUID, whose order is the order of creation.',
  examples: ['0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36'],
});

export const createdFields = {
  id: paymentId,
  status: Type.Ref('PaymentStatus'),
  amount: Type.Number({
    minimum: 0,
    description:
      'Final value of the payment, in BRL. In `approved`, `paid`, `withdrawal_processing`, `receipt_sent` and ' +
      '`rejected`, what was received and not given back: compare it with what was charged before you deliver. In all ' +
      'other statuses, what was charged. A refund, or a return that the bank starts by itself (MED), makes it smaller ' +
      'on reads, without an event while a part remains.',
    examples: [19.9],
  }),
  feeAmount: nullable('number', {
    description: 'Fee applied, in BRL; null when the store has none.',
    examples: [0.2],
  }),
  liquidValue: nullable('number', {
    description: 'Net value, in BRL: `amount` less `feeAmount`; null when the store has no fee.',
    examples: [19.7],
  }),
  storeId: Type.String({
    format: 'uuid',
    description: 'Identifier of the store.',
    examples: ['0199f39e-11b0-7c55-9e02-6d8a3b1c5f74'],
  }),
  createdAt: Type.String({
    format: 'date-time',
    description: 'Creation time: ISO 8601, UTC, with milliseconds.',
    examples: ['2026-03-02T14:05:09.120Z'],
  }),
  observation: nullable('string', { maxLength: 2_048, description: 'Free-text note, as it was given.' }),
  email: nullable('string', { format: 'email', description: 'Customer e-mail, as it was given.' }),
  qrCodeUrl: nullable('string', {
    format: 'uri',
    description:
      'URL of the QR code image, a PNG of 512 × 512 that needs no token; with `.svg` instead of `.png`, the same as ' +
      'SVG. Null until the bank has registered the charge.',
  }),
  qrCopyPaste: nullable('string', {
    description:
      'Pix copy-and-paste code, which can also be drawn as a QR code of one’s own. Null until the bank has ' +
      'registered the charge: read the payment again a little later.',
  }),
  isPublic: Type.Boolean({
    description: 'Whether the payment was created through this interface. Always true on creation.',
  }),
};

export const CreatedPayment = Type.Object(createdFields, {
  $id: 'CreatedPayment',
  description: 'A payment as it was created. Unlike a payment that is read, it has no `webhookUrl`.',
});

export const Payment = Type.Object(
  {
    ...createdFields,
    webhookUrl: nullable('string', {
      format: 'uri',
      description: 'Webhook URL saved for the payment; null when none was given.',
    }),
  },
  { $id: 'Payment', description: 'A payment as it is now.' },
);

export const PaymentList = Type.Object(
  {
    items: Type.Array(Type.Ref('Payment'), { description: 'Payments of the page, newest first.' }),
    page: Type.Integer({ minimum: 1, description: 'Current page.' }),
    limit: Type.Integer({ minimum: 1, maximum: 200, description: 'Page size in effect.' }),
    total: Type.Integer({ minimum: 0, description: 'Payments found, on all pages.' }),
  },
  { $id: 'PaymentList', description: 'A page of the store’s payments.' },
);

export const CreatePayment = Type.Object(
  {
    amount: Type.Number({
      minimum: 5,
      maximum: 3_000,
      description:
        'Value to charge, in BRL, with at most two decimals. A store’s own maximum may be another: support sets it.',
      examples: [19.9],
    }),
    email: Type.Optional(
      nullable('string', { format: 'email', description: 'Customer e-mail. Null is the same as absent.' }),
    ),
    observation: Type.Optional(
      nullable('string', {
        maxLength: 2_048,
        description: 'Free-text note. Null is the same as absent.',
      }),
    ),
    webhookUrl: Type.Optional(
      nullable('string', {
        format: 'uri',
        description:
          'Where this payment’s events are sent: an http or https URL that the internet reaches. Null is the same as ' +
          'absent: no events.',
      }),
    ),
  },
  { $id: 'CreatePayment', description: 'What to charge. Fields that are not listed are ignored.' },
);

export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status code.' }),
    message: Type.String({
      description: 'What is wrong; in Portuguese, but for messages that name a field.',
    }),
  },
  { $id: 'Error', description: 'Every error of every operation: exactly these two fields.' },
);

/** Those that both listeners speak of. */
export const sharedSchemas = [PaymentStatus, CreatedPayment, Payment, CreatePayment, ErrorBody];
