import { Type } from '@sinclair/typebox';
import { idOrNull, oneOf, pageOf, time, timeOrNull } from '../shapes.ts';

const ChargeProblem = Type.Object(
  {
    txid: Type.String({ description: 'Identifier of the charge at the bank.' }),
    paymentId: idOrNull('The payment that the charge is of, by its txid.'),
    work: oneOf(
      ['settle', 'expire', 'cancel'],
      'What fails: to settle what was paid, to close the charge after its expiry, or to cancel it.',
    ),
    error: Type.String({ description: 'Why it failed last.' }),
    tries: Type.Integer({ minimum: 1, description: 'How often it has failed.' }),
    since: time('When it failed first.'),
    tryAt: timeOrNull('When it is settled again; null where the payment’s own schedule says.'),
  },
  { $id: 'ChargeProblem', description: 'A charge on which work keeps failing. It is tried again.' },
);

export const chargeProblemSchemas = [
  ChargeProblem,
  pageOf('ChargeProblem', 'ChargeProblemList', 'A page of the charges on which work keeps failing.'),
];
