import { Type } from '@sinclair/typebox';
import { count, id, oneOf, pageOf, textOrNull, time } from '../shapes.ts';

const Refund = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the refund at the bank.' }),
    endToEndId: Type.String({ description: 'Of the Pix that goes back.' }),
    paymentId: id('The payment that the Pix was for.'),
    amount: Type.Number({ description: 'What goes back, in BRL.' }),
    origin: oneOf(['service', 'bank'], '`bank`: a refund that the bank started itself.'),
    reason: Type.String({ description: 'second_pix, rejected, review_timeout, or what the bank says.' }),
    state: oneOf(['requested', 'processing', 'refunded', 'failed'], '`failed`: the bank refused it.'),
    rtrId: textOrNull('The return’s identifier in the whole system, once there is one.'),
    tries: count('How often the bank was asked.'),
    lastError: textOrNull('What the bank said against it.'),
    replaces: textOrNull('The refused refund that this one was ordered instead of.'),
    createdAt: time('When it was ordered.'),
    updatedAt: time('When it last moved on.'),
  },
  { $id: 'Refund', description: 'A devolução: money that goes back for a Pix.' },
);

const RefundNotMade = Type.Intersect(
  [
    Type.Ref('Refund'),
    Type.Object({
      storeId: id('The store that the Pix was for.'),
      isOwed: Type.Boolean({
        description: 'The bank refused it, the money is still here, and nothing was ordered instead.',
      }),
    }),
  ],
  { $id: 'RefundNotMade', description: 'A refund that has not been made, and whether a person must act.' },
);

export const refundSchemas = [
  Refund,
  RefundNotMade,
  pageOf('RefundNotMade', 'RefundList', 'A page of the refunds that have not been made.'),
];
