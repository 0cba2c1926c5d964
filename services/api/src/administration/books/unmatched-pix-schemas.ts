import { Type } from '@sinclair/typebox';
import { oneOf, pageOf, textOrNull, time } from '../shapes.ts';

const UnmatchedPix = Type.Object(
  {
    endToEndId: Type.String({ description: 'The Pix’s identifier at all banks.' }),
    bank: Type.String({ description: 'The bank that it arrived at.' }),
    txid: textOrNull('txid of the charge that the bank lists the Pix for.'),
    amount: Type.Number({ description: 'Amount of the Pix, in BRL.' }),
    reason: oneOf(
      ['charge_unknown', 'not_in_charge', 'no_payment'],
      '`charge_unknown`: the bank does not know the charge. `not_in_charge`: the charge does not list the Pix. ' +
        '`no_payment`: no payment has the charge.',
    ),
    paidAt: time('Time of the Pix by the bank’s clock.'),
    receivedAt: time('When the service saw the Pix.'),
  },
  { $id: 'UnmatchedPix', description: 'A Pix that the bank lists and that fits no payment.' },
);

export const unmatchedPixSchemas = [
  UnmatchedPix,
  pageOf('UnmatchedPix', 'UnmatchedPixList', 'A page of unmatched Pix.'),
];
