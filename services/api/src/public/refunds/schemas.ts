import { refundKinds, refundStates } from '@payments/domain/refunds';
import { type TSchema, Type } from '@sinclair/typebox';

/** The OpenAPI schemas of a store's refunds (Contract: refunds by a token). */

const orNull = <T extends TSchema>(schema: T, description: string, example: unknown) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description, examples: [example] }));

export const RefundRequest = Type.Object(
  {
    amount: orNull(
      Type.Number({ minimum: 0.01 }),
      'Amount to refund, in BRL, with at most two decimals; it goes back as ordered or not at all. Null or absent ' +
        'means all that is left.',
      5,
    ),
    reason: orNull(
      Type.String({ maxLength: 2_000 }),
      'Your words for the record and the administration. Nobody else reads them.',
      'Produto com defeito',
    ),
  },
  { $id: 'RefundRequest', description: 'A refund to order.' },
);

const stateMeanings = {
  requested: 'ordered; the bank has not accepted it yet',
  processing: 'the bank is making it',
  refunded: 'made',
  failed: 'the bank did not make it, or it fits what is left no more',
};

const kindMeanings = {
  requested: 'ordered by the store or an administrator',
  second_pix: 'a further Pix for a payment that had one',
  rejected: 'the payment was not approved',
  review_timeout: 'nobody decided the review in time',
  returned_by_bank: 'the bank took the money back by itself (MED)',
};

const listOf = (meanings: Record<string, string>) =>
  Object.entries(meanings)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n');

const Refund = Type.Object(
  {
    id: Type.String({
      description: 'Identifier of the refund at the bank.',
      examples: ['117537deb89071f88cff1d74d17e2fb3'],
    }),
    paymentId: Type.String({ format: 'uuid', description: 'Identifier of the payment.' }),
    endToEndId: Type.String({ description: 'endToEndId of the Pix that goes back.' }),
    amount: Type.Number({ minimum: 0, description: 'Amount that goes back, in BRL.' }),
    status: Type.Unsafe<string>({
      type: 'string',
      'x-extensible-enum': refundStates,
      description: `Where the refund stands.\n\n${listOf(stateMeanings)}`,
    }),
    reason: Type.Unsafe<string>({
      type: 'string',
      'x-extensible-enum': refundKinds,
      description: `Why the money goes back.\n\n${listOf(kindMeanings)}`,
    }),
    createdAt: Type.String({ format: 'date-time', description: 'When it was ordered, or first seen.' }),
    updatedAt: Type.String({ format: 'date-time', description: 'Time of the last change.' }),
  },
  { $id: 'Refund', description: 'A refund of a payment, by the service or by the bank.' },
);

const RefundList = Type.Object(
  { items: Type.Array(Type.Ref('Refund'), { description: 'The payment’s refunds, newest first.' }) },
  { $id: 'RefundList', description: 'All refunds of a payment.' },
);

export const refundSchemas = [RefundRequest, Refund, RefundList];
