import { Type } from '@sinclair/typebox';
import { reasonField } from '../author.ts';
import {
  count,
  idOrNull,
  numberOrNull,
  oneOf,
  optional,
  pageOf,
  textOrNull,
  time,
  timeOrNull,
} from '../shapes.ts';

export const RefundBody = Type.Object(
  {
    amount: optional(
      Type.Number({ minimum: 0.01 }),
      'What goes back, in BRL; all that is left unless given.',
    ),
    reason: reasonField,
  },
  { $id: 'RefundOrder', description: 'What is to go back, and why.' },
);

const Refund = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the refund at the bank.' }),
    endToEndId: Type.String({ description: 'Of the Pix that goes back.' }),
    paymentId: idOrNull('The payment that the Pix was for; null where it fits none.'),
    amount: Type.Number({ description: 'What goes back, in BRL.' }),
    origin: oneOf(['service', 'bank'], '`bank`: a refund that the bank started itself.'),
    reason: Type.String({
      description:
        'second_pix, rejected, review_timeout, administrator or the words of the person who ordered it, or what the bank says.',
    }),
    state: oneOf(['requested', 'processing', 'refunded', 'failed'], '`failed`: the bank refused it.'),
    rtrId: textOrNull('The return’s identifier in the whole system, once there is one.'),
    tries: count('How often the bank was asked.'),
    lastError: textOrNull('What the bank said against it.'),
    replaces: textOrNull('The refund in whose place this one was ordered.'),
    orderAgainAt: timeOrNull('Of a refused one: when the service orders it anew.'),
    isOwed: Type.Boolean({
      description: 'The bank refused it as often as the service asks by itself: a person must act.',
    }),
    owedAmount: numberOrNull('What is owed then, in BRL.'),
    createdAt: time('When it was ordered.'),
    updatedAt: time('When it last moved on.'),
  },
  { $id: 'Refund', description: 'A devolução: money that goes back for a Pix.' },
);

const RefundNotMade = Type.Intersect(
  [
    Type.Ref('Refund'),
    Type.Object({
      storeId: idOrNull('The store that the Pix was for; null where it fits no payment.'),
    }),
  ],
  { $id: 'RefundNotMade', description: 'A refund that has not been made, and whether a person must act.' },
);

export const refundSchemas = [
  RefundBody,
  Refund,
  RefundNotMade,
  pageOf('RefundNotMade', 'RefundList', 'A page of the refunds that have not been made.'),
];
