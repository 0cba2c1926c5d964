import { changeActions } from '@payments/database/operations/change-actions';
import { Type } from '@sinclair/typebox';
import { ReasonBody } from '../author.ts';
import { idOrNull, oneOf, pageOf, textOrNull, time } from '../shapes.ts';

const value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String()),
  Type.Null(),
]);
const values = (description: string) =>
  Type.Union([Type.Record(Type.String(), value), Type.Null()], { description });

const Change = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the change, in the order of commits.' }),
    at: time('Time of the commit.'),
    action: oneOf(changeActions, 'The action.'),
    storeId: idOrNull('The store concerned; null for all stores.'),
    paymentId: idOrNull('The payment concerned.'),
    subject: textOrNull('Id of the token, delivery, Pix, receiver or bank concerned.'),
    from: values('Old values by field; amounts in BRL.'),
    to: values('New values by field; amounts in BRL.'),
    author: textOrNull('Name of the account or key; `ADMIN_KEY` for the key of last resort.'),
    authorId: idOrNull('Id of the account or key; null for `ADMIN_KEY`.'),
    via: oneOf(['api', 'panel'], 'Where the change was made.'),
    reason: textOrNull('The administrator’s reason.'),
    requestId: textOrNull('Id of the request, as in the logs.'),
  },
  { $id: 'Change', description: 'A change by an administrator. It never contains a secret.' },
);

export const changeSchemas = [
  ReasonBody,
  Change,
  pageOf('Change', 'ChangeList', 'A page of administrators’ changes.'),
];
