import { paymentStatuses, type PaymentStatus as Status } from '@payments/domain/status';
import { type SchemaOptions, Type } from '@sinclair/typebox';
import { mostPerPage } from '../../http/readers.ts';

/** Limits of a payment's fields, for its schema, its readers and what the documents say of them (Contract: validation). */

/** Centavos. A store's own maximum may be another, up to the highest. */
export const amounts = { least: 500, most: 300_000, mostOfAnyStore: 100_000_000 };

/** Characters; a surrogate pair counts as one. */
export const lengths = { observation: 2_048, reference: 100, description: 140, idempotencyKey: 255 };

/** Seconds to pay: 30 days. */
export const longestExpiry = 2_592_000;

/** The OpenAPI schemas of payments (Contract: payment). `new-payment.ts` validates requests. */

// The serialiser is faster with a type list than with anyOf, whose branches it tries in turn.
const nullable = <T extends 'string' | 'number' | 'integer'>(type: T, keywords: SchemaOptions) =>
  Type.Unsafe<(T extends 'string' ? string : number) | null>({ ...keywords, type: [type, 'null'] });

const statusMeanings: Record<Status, string> = {
  pending: 'Waiting for payment or processing. Every payment starts here.',
  approved:
    'Paid: the value in `amount` is confirmed and available. No other status means this. Compare `amount` with the ' +
    'charged amount before you deliver.',
  review: 'Under review, not approved. After 30 minutes the service refunds the received money.',
  not_approved:
    'Expired, cancelled, refused or fully refunded. A Pix that was paid in time and seen late still approves the ' +
    'payment.',
  paid: 'Consolidated. Internal use.',
  withdrawal_processing: 'The withdrawal is being processed. Internal use.',
  receipt_sent: 'The receipt was sent. Internal use.',
  rejected: 'Rejected. Internal use.',
};

export const PaymentStatus = Type.Unsafe<Status>({
  $id: 'PaymentStatus',
  type: 'string',
  // An `enum` would make generated clients fail on a payment with a new status.
  'x-extensible-enum': paymentStatuses,
  description: `Where a payment stands. The list may grow: treat an unknown status as “not approved yet”.\n\n${paymentStatuses
    .map((status) => `- \`${status}\`: ${statusMeanings[status]}`)
    .join('\n')}`,
  // Some tools show these beside each value.
  'x-enumDescriptions': statusMeanings,
});

/** The query parameter of lists, which knows no other status. */
export const statusQuery = Type.Optional(
  Type.Unsafe<Status>({
    type: 'string',
    enum: paymentStatuses,
    description: 'Only payments in this status.',
  }),
);

export const paymentId = Type.String({
  format: 'uuid',
  description: 'Payment identifier: a UUID that sorts by creation.',
  examples: ['0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36'],
});

export const createdFields = {
  id: paymentId,
  status: Type.Ref('PaymentStatus'),
  amount: Type.Number({
    minimum: 0,
    description:
      'Final value of the payment, in BRL. In `approved`, `paid`, `withdrawal_processing`, `receipt_sent` and ' +
      '`rejected` it is the received money less refunds: compare it with the charged amount before you deliver. In ' +
      'all other statuses it is the charged amount. A partial refund, by the service or by the bank (MED), lowers ' +
      'it: `payment.updated` tells that.',
    examples: [19.9],
  }),
  feeAmount: nullable('number', {
    description: 'Fee applied, in BRL; null when the store has none.',
    examples: [0.2],
  }),
  liquidValue: nullable('number', {
    description: 'Net value, in BRL: `amount` less `feeAmount`. Null when the store has no fee.',
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
  observation: nullable('string', {
    maxLength: lengths.observation,
    description: 'Free-text note from the request.',
  }),
  // No format: many clients know a narrower one than the service takes, and would refuse the whole list.
  email: nullable('string', { description: 'Customer e-mail from the request.' }),
  qrCodeUrl: nullable('string', {
    format: 'uri',
    description:
      'URL of the QR code image, a PNG of 512 × 512; a test store’s is a little larger. It needs no token. Replace `.png` with `.svg` for an SVG. ' +
      'Null until the bank has registered the charge.',
  }),
  qrCopyPaste: nullable('string', {
    description:
      'Pix copy-and-paste code. You can also draw your own QR code from it. Null until the bank has registered the ' +
      'charge: read the payment again a little later.',
  }),
  isPublic: Type.Boolean({
    description:
      'True for a payment created with a store’s token, false for one created by an administrator.',
  }),
};

/** Fields of payments that were created with them. Webhooks never show them. */
const optionalFields = {
  reference: Type.Optional(
    Type.String({ description: 'The store’s own name for the payment. Absent if the request had none.' }),
  ),
  expiresIn: Type.Optional(
    Type.Integer({ description: 'Seconds to pay, from `createdAt`. Absent if the request had none.' }),
  ),
  description: Type.Optional(
    Type.String({ description: 'The text for the payer. Absent if the request had none.' }),
  ),
};

export const CreatedPayment = Type.Object(
  { ...createdFields, ...optionalFields },
  {
    $id: 'CreatedPayment',
    description: 'A new payment. Unlike reads, this response has no `webhookUrl`.',
  },
);

const readFields = {
  ...createdFields,
  webhookUrl: nullable('string', {
    description: 'Webhook URL of the payment, as in the request; null if it had none.',
  }),
  ...optionalFields,
};

const ofPayment = { $id: 'Payment', description: 'The current payment.' };

/** A payment in the administration, which has other ways to show its Pix. */
export const Payment = Type.Object(readFields, ofPayment);

/** The additions that a store's reads can ask for. */
export const inclusions = ['pix'] as const;

const PixOfPayment = Type.Object(
  {
    endToEndId: Type.String({
      description: 'The Pix’s identifier at all banks, as on the payer’s receipt.',
      examples: ['E00000000202603021406a1B2c3D4e5F'],
    }),
    amount: Type.Number({ minimum: 0, description: 'Amount of the Pix, in BRL.' }),
    paidAt: Type.String({ format: 'date-time', description: 'When it was paid, by the bank’s clock.' }),
  },
  { $id: 'PixOfPayment', description: 'A Pix that came for a payment.' },
);

/** A payment in the stores' reads. */
const PaymentOfStore = Type.Object(
  {
    ...readFields,
    refundedAmount: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'All that went back of the payment’s Pix, in BRL, a second Pix included. Only with `include=pix`.',
      }),
    ),
    pix: Type.Optional(
      Type.Array(Type.Ref('PixOfPayment'), {
        description: 'The Pix that came for the payment, oldest first. Only with `include=pix`.',
      }),
    ),
  },
  ofPayment,
);

const PaymentList = Type.Object(
  {
    items: Type.Array(Type.Ref('Payment'), { description: 'Payments of the page, newest first.' }),
    page: Type.Integer({ minimum: 1, description: 'Current page.' }),
    limit: Type.Integer({ minimum: 1, maximum: mostPerPage, description: 'Page size in effect.' }),
    total: Type.Integer({ minimum: 0, description: 'Number of matching payments on all pages.' }),
  },
  { $id: 'PaymentList', description: 'A page of the store’s payments.' },
);

export const CreatePayment = Type.Object(
  {
    amount: Type.Number({
      minimum: amounts.least / 100,
      // The highest maximum that a store can have. A tool must not refuse what its store may charge.
      maximum: amounts.mostOfAnyStore / 100,
      description:
        'Value to charge, in BRL, with at most two decimals. At most ' +
        `${amounts.most / 100}, unless support has raised the maximum of your store.`,
      examples: [19.9],
    }),
    email: Type.Optional(
      nullable('string', { format: 'email', description: 'Customer e-mail. Null is the same as absent.' }),
    ),
    observation: Type.Optional(
      nullable('string', {
        maxLength: lengths.observation,
        description: 'Free-text note. Null is the same as absent.',
      }),
    ),
    webhookUrl: Type.Optional(
      nullable('string', {
        format: 'uri',
        description:
          'Receives this payment’s events: an http or https URL on the internet. Null or absent means no events.',
      }),
    ),
    reference: Type.Optional(
      nullable('string', {
        minLength: 1,
        maxLength: lengths.reference,
        description:
          'Your own name for the payment, such as the order’s number. No two payments of the store can have the same. ' +
          'Null is the same as absent.',
        examples: ['pedido-1042'],
      }),
    ),
    expiresIn: Type.Optional(
      nullable('integer', {
        minimum: 1,
        maximum: longestExpiry,
        description:
          'Seconds to pay: the code expires after them, and the unpaid payment becomes `not_approved`. Null or absent ' +
          'means the service’s default.',
        examples: [3_600],
      }),
    ),
    description: Type.Optional(
      nullable('string', {
        minLength: 1,
        maxLength: lengths.description,
        description:
          'A text for the payer, which the bank’s app shows before the payment. Characters that a bank does not take ' +
          'are replaced there, or left out. Null is the same as absent.',
        examples: ['Pedido 1042: dois livros'],
      }),
    ),
  },
  { $id: 'CreatePayment', description: 'A payment to create. Other fields are ignored.' },
);

export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status code.' }),
    message: Type.String({
      description: 'The error, in Portuguese. Messages that name a field are in English.',
    }),
  },
  { $id: 'Error', description: 'Every error has exactly these two fields.' },
);

/** The schemas of both listeners. */
export const sharedSchemas = [PaymentStatus, CreatedPayment, CreatePayment, ErrorBody];

/** The schemas of the stores' reads. */
export const readSchemas = [PixOfPayment, PaymentOfStore, PaymentList];
