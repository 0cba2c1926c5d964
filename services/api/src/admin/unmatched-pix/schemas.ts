import { Type } from '@sinclair/typebox';
import { oneOf, pageOf, textOrNull, time } from '../shapes.ts';

const UnmatchedPix = Type.Object(
  {
    endToEndId: Type.String({ description: 'The Pix’s identifier in the whole system.' }),
    txid: textOrNull('Of the charge that the bank lists it for.'),
    amount: Type.Number({ description: 'What was paid, in BRL.' }),
    reason: oneOf(
      ['charge_unknown', 'not_in_charge', 'no_payment'],
      'The bank does not know the charge, the charge does not show the Pix, or no payment is known of it.',
    ),
    paidAt: time('When the customer paid, by the bank’s clock.'),
    receivedAt: time('When the service learned of it.'),
  },
  { $id: 'UnmatchedPix', description: 'A Pix that the bank lists and that fits no payment.' },
);

export const unmatchedPixSchemas = [
  UnmatchedPix,
  pageOf('UnmatchedPix', 'UnmatchedPixList', 'A page of the Pix that fit no payment.'),
];
