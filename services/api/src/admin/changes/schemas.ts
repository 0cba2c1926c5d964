import { changeActions } from '@payments/database/operations/change-actions';
import { Type } from '@sinclair/typebox';
import { ReasonBody } from '../author.ts';
import { idOrNull, oneOf, pageOf, textOrNull, time } from '../shapes.ts';

const value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);
const values = (description: string) =>
  Type.Union([Type.Record(Type.String(), value), Type.Null()], { description });

const Change = Type.Object(
  {
    id: Type.Integer({ description: 'Its place among all changes.' }),
    at: time('When it was committed.'),
    action: oneOf(changeActions, 'What was done.'),
    storeId: idOrNull('The store that it concerns; null for all of them.'),
    paymentId: idOrNull('The payment that it concerns.'),
    subject: textOrNull('The id of the token, delivery, Pix or receiver that it is about.'),
    from: values('What was so before, by field; amounts in BRL.'),
    to: values('What is so now, by field; amounts in BRL.'),
    author: textOrNull('Who did it, by their own account (`X-Actor`): the key is shared.'),
    via: oneOf(['api', 'panel'], 'Where it was done.'),
    reason: textOrNull('Why, in their words.'),
    requestId: textOrNull('The request that did it, as in the logs.'),
  },
  { $id: 'Change', description: 'What an administrator changed. Never a secret.' },
);

export const changeSchemas = [
  ReasonBody,
  Change,
  pageOf('Change', 'ChangeList', 'A page of what administrators changed.'),
];
