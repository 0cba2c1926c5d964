import { Type } from '@sinclair/typebox';
import { idOrNull, oneOf, pageOf, time, timeOrNull } from '../shapes.ts';

const ChargeProblem = Type.Object(
  {
    txid: Type.String({ description: 'Identifier of the charge at the bank.' }),
    paymentId: idOrNull('The charge’s payment, found by its txid.'),
    work: oneOf(
      ['register', 'settle', 'expire', 'cancel'],
      'The failing work: register the charge, which the bank refuses, settle its Pix, close the expired charge, or cancel the charge.',
    ),
    error: Type.String({ description: 'Error of the last try, with the bank’s words.' }),
    tries: Type.Integer({ minimum: 1, description: 'Number of failed tries.' }),
    since: time('Time of the first failure.'),
    tryAt: timeOrNull(
      'Time of the next try to settle; null for all other work, which follows the payment’s own schedule.',
    ),
  },
  { $id: 'ChargeProblem', description: 'A charge that keeps failing. The service keeps retrying it.' },
);

export const chargeProblemSchemas = [
  ChargeProblem,
  pageOf('ChargeProblem', 'ChargeProblemList', 'A page of charges that keep failing.'),
];
