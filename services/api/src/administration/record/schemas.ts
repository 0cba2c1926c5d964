import { changeActions } from '@payments/database/record/change-actions';
import { Type } from '@sinclair/typebox';
import { ReasonBody } from '../../access/author.ts';
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
    id: Type.Integer({ description: 'Number of the change; a later one is higher.' }),
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
    address: textOrNull(
      'Address of the client, behind trusted proxies; null where no request made the entry.',
    ),
    browser: textOrNull('What the browser or program called itself, at most 200 characters.'),
    hash: textOrNull(
      'SHA-256, in hex, of this entry and the hash of the entry committed before it; `record:check` verifies them.',
    ),
  },
  { $id: 'Change', description: 'A change by an administrator. It never contains a secret.' },
);

export const changeSchemas = [
  ReasonBody,
  Change,
  pageOf('Change', 'ChangeList', 'A page of administrators’ changes.'),
];
