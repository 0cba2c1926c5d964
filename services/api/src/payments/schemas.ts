import { paymentStatuses } from '@payments/domain/status';
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';

/** The shapes of spec 2, as the OpenAPI document names them. Requests are judged by `new-payment.ts`. */

// A type list rather than anyOf: the serialiser need not try the branches one after another.
const nullable = <T extends 'string' | 'number'>(type: T, keywords: SchemaOptions) =>
  Type.Unsafe<(T extends 'string' ? string : number) | null>({ ...keywords, type: [type, 'null'] });

export const PaymentStatus = Type.Unsafe<(typeof paymentStatuses)[number]>({
  $id: 'PaymentStatus',
  type: 'string',
  enum: paymentStatuses,
  description:
    'pending: waiting for payment. approved: paid, the value is confirmed. review: under analysis, not approved. ' +
    'not_approved: error, cancellation or expiration. paid, withdrawal_processing, receipt_sent, rejected: internal use.',
});

const createdFields = {
  id: Type.String({ description: 'Payment identifier.' }),
  status: Type.Ref('PaymentStatus'),
  amount: Type.Number({ description: 'Final value of the payment, in BRL.' }),
  feeAmount: nullable('number', { description: 'Fee applied, when there is one.' }),
  liquidValue: nullable('number', { description: 'Net value, when there is one.' }),
  storeId: Type.String({ description: 'Identifier of the store.' }),
  createdAt: Type.String({ format: 'date-time', description: 'Creation time.' }),
  observation: nullable('string', { maxLength: 2_048, description: 'Free-text note.' }),
  email: nullable('string', { format: 'email', description: 'Customer e-mail.' }),
  qrCodeUrl: nullable('string', { format: 'uri', description: 'URL of the QR code image.' }),
  qrCopyPaste: nullable('string', { description: 'Pix copy-and-paste code.' }),
  isPublic: Type.Boolean({ description: 'True if the payment was created through the public interface.' }),
};

export const CreatedPayment = Type.Object(createdFields, {
  $id: 'CreatedPayment',
  description: 'A payment as it was created.',
});

export const Payment = Type.Object(
  {
    ...createdFields,
    webhookUrl: nullable('string', { format: 'uri', description: 'Webhook URL saved for the payment.' }),
  },
  { $id: 'Payment', description: 'A payment as it is now.' },
);

export const PaymentList = Type.Object(
  {
    items: Type.Array(Type.Ref('Payment')),
    page: Type.Integer({ description: 'Current page.' }),
    limit: Type.Integer({ description: 'Page size in effect.' }),
    total: Type.Integer({ description: 'Payments found, on all pages.' }),
  },
  { $id: 'PaymentList' },
);

export const CreatePayment = Type.Object(
  {
    amount: Type.Number({ minimum: 5, maximum: 3_000, description: 'BRL, at most two decimals.' }),
    email: Type.Optional(nullable('string', { format: 'email', description: 'Customer e-mail.' })),
    observation: Type.Optional(nullable('string', { maxLength: 2_048, description: 'Free-text note.' })),
    webhookUrl: Type.Optional(
      nullable('string', { format: 'uri', description: 'Where this payment’s events are sent.' }),
    ),
  },
  { $id: 'CreatePayment' },
);

export const ErrorBody = Type.Object(
  { statusCode: Type.Integer(), message: Type.String() },
  { $id: 'Error', description: 'Every error of every route.' },
);

export const sharedSchemas = [PaymentStatus, CreatedPayment, Payment, PaymentList, CreatePayment, ErrorBody];

/** @returns the error answers of a route, for its schema */
export function errorAnswersOf(...statuses: number[]): Record<number, TSchema> {
  return Object.fromEntries(statuses.map((status) => [status, Type.Ref('Error')]));
}
